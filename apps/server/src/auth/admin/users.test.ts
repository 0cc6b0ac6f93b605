import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../../db/ids.ts'
import { hashPassword } from '../passwords/passwords.ts'
import { createTestAuth, newEmail } from '../testing/auth-server.ts'
import { adminOf, password, providers, serviceKey, useTestAdmin } from '../testing/admin.ts'

const { auth, admin, call, made } = useTestAdmin()

describe('a user that is made', () => {
  test('is as sent, with an identity per address', async () => {
    const email = newEmail()
    const { data, error } = await admin().createUser({
      email: email.toUpperCase(),
      phone: '+1 555 0100200',
      password,
      email_confirm: true,
      user_metadata: { plan: 'x' },
      app_metadata: { tier: 1 },
    })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      email,
      phone: '15550100200',
      role: 'authenticated',
      email_confirmed_at: expect.any(String) as string,
      app_metadata: { provider: 'email', providers: ['email', 'phone'], tier: 1 },
      identities: [{ provider: 'email', email }, { provider: 'phone' }],
    })
    expect(data.user!.user_metadata).toEqual({ plan: 'x' })
    expect(data.user).not.toHaveProperty('phone_confirmed_at')
    expect(await auth.linksTo(email)).toEqual([])
    expect((await auth.client().signInWithPassword({ email, password })).error).toBeNull()
  })

  test('may have an id, a hash of the password, and a ban', async () => {
    const [id, email] = [newId(), newEmail()]
    const user = await made({ id, email, password_hash: await hashPassword(password), ban_duration: '1h30m' })
    expect(user.id).toBe(id)
    const until = Date.parse(String(user.banned_until)) - Date.now()
    expect(Math.abs(until - 90 * 60_000)).toBeLessThan(10_000)
    expect((await auth.client().signInWithPassword({ email, password })).error).toMatchObject({
      code: 'user_banned',
    })
    await admin().updateUserById(id, { ban_duration: 'none' })
    expect((await auth.client().signInWithPassword({ email, password })).error).toBeNull()
  })

  test('who is not confirmed cannot sign in', async () => {
    const email = newEmail()
    const user = await made({ email, password, email_confirm: false })
    expect(user).not.toHaveProperty('email_confirmed_at')
    expect((await auth.client().signInWithPassword({ email, password })).error).toMatchObject({
      code: 'email_not_confirmed',
    })
    await admin().updateUserById(user.id, { email_confirm: true })
    expect((await auth.client().signInWithPassword({ email, password })).error).toBeNull()
  })

  test('has what nobody else has', async () => {
    const { id, email, phone } = await made({ phone: '15550100300' })
    expect((await admin().createUser({ email })).error).toMatchObject({
      status: 422,
      code: 'email_exists',
      message: 'A user with this email address has already been registered',
    })
    expect((await admin().createUser({ phone })).error).toMatchObject({ status: 422, code: 'phone_exists' })
    expect((await admin().createUser({ id, email: newEmail() })).error).toMatchObject({
      status: 409,
      code: 'conflict',
    })
  })

  test.each([
    [{}, 'Cannot create a user without either an email or phone'],
    [{ email: 'nonsense' }, 'Unable to validate email address: invalid format'],
    [{ phone: 'nonsense' }, 'Invalid phone number format (E.164 required)'],
    [{ email: 'a@b.c', id: 'x' }, 'id must be an UUID'],
    [{ email: 'a@b.c', ban_duration: 'forever' }, 'invalid format for ban duration: "forever"'],
    [{ email: 'a@b.c', role: 'DROP TABLE' }, 'role must be lower-case letters, digits and underscores'],
    [
      { email: 'a@b.c', password_hash: '$2y$10$abc' },
      'password_hash must be an argon2 hash such as $argon2id$v=19$m=19456,t=2,p=1$…',
    ],
    [
      { email: 'a@b.c', password: 'long enough', password_hash: 'x' },
      'Only a password or a password hash should be provided',
    ],
    [
      { email: 'a@b.c', user_metadata: { x: 'x'.repeat(5000) } },
      'user_metadata is too large (at most 4096 bytes)',
    ],
  ])('is not made from %j', async (body, message) => {
    expect(await call('POST', '/admin/users', body)).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', message },
    })
  })

  test('is not made with a weak password', async () => {
    const { error } = await admin().createUser({ email: newEmail(), password: 'abc' })
    expect(error).toMatchObject({ status: 422, code: 'weak_password' })
  })
})

describe('users are listed', () => {
  test('newest first, in pages that the client can follow', async () => {
    await using other = await createTestAuth({ providers })
    const api = adminOf(other)
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      const { data } = await api.createUser({ email: newEmail() })
      ids.unshift(data.user!.id)
    }
    const { data } = await api.listUsers({ page: 1, perPage: 2 })
    expect(data).toMatchObject({ nextPage: 2, lastPage: 3, total: 5, aud: 'authenticated' })
    expect(data.users.map(({ id }) => id)).toEqual(ids.slice(0, 2))
    const last = await api.listUsers({ page: 3, perPage: 2 })
    expect(last.data.users.map(({ id }) => id)).toEqual(ids.slice(4))
    expect(last.data).toMatchObject({ nextPage: null, lastPage: 3 })
    const all = await other.call('GET', '/admin/users?page=&per_page=', { token: serviceKey })
    expect(all.headers.get('x-total-count')).toBe('5')
    expect(all.headers.get('link')).toBe('</auth/v1/admin/users?page=1&per_page=50>; rel="last"')
    expect((all.body['users'] as unknown[]).length).toBe(5)
  })

  test('by a part of the address, taken literally', async () => {
    const { email } = await made()
    const found = await call('GET', `/admin/users?filter=${email!.slice(0, 8).toUpperCase()}`)
    expect((found.body['users'] as { email: string }[]).map(user => user.email)).toEqual([email])
    expect((await call('GET', '/admin/users?filter=%25')).body['users']).toEqual([])
  })

  test.each(['page=-1', 'page=0', 'page=x', 'per_page=-1', 'page=1&page=2'])('never for %s', async query => {
    expect(await call('GET', `/admin/users?${query}`)).toMatchObject({
      status: 400,
      body: {
        code: 'validation_failed',
        message: expect.stringContaining('Bad Pagination Parameters') as string,
      },
    })
  })
})

describe('one user', () => {
  test.each(['GET', 'PUT', 'DELETE'])('%s: unknown, and no id at all', async method => {
    const body = method === 'PUT' ? {} : undefined
    expect(await call(method, `/admin/users/${newId()}`, body)).toMatchObject({
      status: 404,
      body: { code: 'user_not_found', message: 'User not found' },
    })
    expect(await call(method, '/admin/users/x', body)).toMatchObject({
      status: 404,
      body: { code: 'validation_failed' },
    })
  })

  test('is changed at once', async () => {
    const user = await made({ user_metadata: { keep: 1, drop: 2 }, app_metadata: { tier: 1 } })
    const email = newEmail()
    const { data, error } = await admin().updateUserById(user.id, {
      email,
      phone: '15550100400',
      phone_confirm: true,
      user_metadata: { drop: null, more: 3 },
      app_metadata: { tier: 2 },
    })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      email,
      email_confirmed_at: user.email_confirmed_at,
      phone: '15550100400',
      phone_confirmed_at: expect.any(String) as string,
      app_metadata: { provider: 'email', providers: ['email', 'phone'], tier: 2 },
      identities: [{ provider: 'email', email }, { provider: 'phone' }],
    })
    expect(data.user!.user_metadata).toMatchObject({ keep: 1, more: 3 })
    expect(data.user!.user_metadata).not.toHaveProperty('drop')
  })

  test('with a new password has no session and no mailed link any more', async () => {
    const user = await auth.signedIn()
    const { data } = await admin().generateLink({ type: 'recovery', email: user.email })
    await admin().updateUserById(user.id, { password: 'another horse' })
    expect(await auth.call('GET', '/user', { token: user.token })).toMatchObject({ status: 403 })
    const { error } = await auth
      .client()
      .verifyOtp({ type: 'recovery', token_hash: data.properties!.hashed_token })
    expect(error).toMatchObject({ code: 'otp_expired' })
    const again = await auth.client().signInWithPassword({ email: user.email, password: 'another horse' })
    expect(again.error).toBeNull()
  })

  test('does not get the address of another', async () => {
    const other = await made()
    const { error } = await admin().updateUserById((await made()).id, { email: other.email })
    expect(error).toMatchObject({ status: 422, code: 'email_exists' })
  })

  test('is deleted, with every session', async () => {
    const { id, token, email, password } = await auth.signedIn()
    expect((await admin().deleteUser(id)).error).toBeNull()
    expect((await admin().getUserById(id)).error).toMatchObject({ status: 404, code: 'user_not_found' })
    expect(await auth.call('GET', '/user', { token })).toMatchObject({ status: 403 })
    expect((await auth.client().signInWithPassword({ email, password })).error).toMatchObject({
      code: 'invalid_credentials',
    })
  })

  test('who has money is not deleted where nobody can settle it', async () => {
    const { id } = await made()
    await sql`select get_or_create_wallet(${id})`.execute(auth.database.kysely)
    expect((await admin().deleteUser(id)).error).toMatchObject({ status: 409, code: 'conflict' })
    expect((await admin().getUserById(id)).error).toBeNull()
  })
})

describe('second factors of a user', () => {
  test('are listed and removed', async () => {
    const { id, client } = await auth.signedIn()
    expect(await admin().mfa.listFactors({ userId: id })).toMatchObject({
      data: { factors: [] },
      error: null,
    })
    const { data } = await client.mfa.enroll({ factorType: 'totp', friendlyName: 'Pixel' })
    const listed = await admin().mfa.listFactors({ userId: id })
    expect(listed.data!.factors).toMatchObject([
      { id: data!.id, factor_type: 'totp', status: 'unverified', friendly_name: 'Pixel' },
    ])
    const path = `/admin/users/${id}/factors/${data!.id}`
    expect(await call('DELETE', path)).toMatchObject({
      status: 200,
      body: { id: data!.id, factor_type: 'totp', friendly_name: 'Pixel' },
    })
    expect(await admin().mfa.deleteFactor({ userId: id, id: data!.id })).toMatchObject({
      error: { status: 404, code: 'mfa_factor_not_found' },
    })
    expect(await admin().mfa.listFactors({ userId: newId() })).toMatchObject({ error: { status: 404 } })
  })
})

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiVersion, createTestAuth, newEmail, type TestAuth } from './testing/auth-server.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await createTestAuth()
})
afterAll(() => auth[Symbol.asyncDispose]())

const put = (token: string, body: unknown) => auth.call('PUT', '/user', { token, headers: apiVersion, body })

describe('what a user says about themselves', () => {
  test('is merged, and null removes a key', async () => {
    const { client } = await auth.signedIn()
    await client.updateUser({ data: { theme: 'dark', city: 'Oslo' } })
    const { data } = await client.updateUser({ data: { city: null, nested: { a: [1, null] } } })
    expect(data.user!.user_metadata).toMatchObject({
      theme: 'dark',
      nested: { a: [1, null] },
      email_verified: true,
    })
    expect(data.user!.user_metadata).not.toHaveProperty('city')
    expect((await client.getUser()).data.user!.user_metadata).toEqual(data.user!.user_metadata)
  })

  test('fits into a header in all, however it is added', async () => {
    const { token } = await auth.signedIn()
    expect((await put(token, { data: { a: 'x'.repeat(3500) } })).status).toBe(200)
    const more = await put(token, { data: { b: 'x'.repeat(3500) } })
    expect(more).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    const refreshed = await put(token, { data: { a: null } })
    expect(refreshed.body['user_metadata']).not.toHaveProperty('a')
  })

  test('cannot change what the service knows', async () => {
    const { token } = await auth.signedIn()
    const answer = await put(token, { app_metadata: { provider: 'x' } })
    expect(answer).toMatchObject({ status: 403, body: { code: 'not_admin' } })
    const roles = await put(token, { role: 'service_role', banned_until: null, id: 'x' })
    expect(roles).toMatchObject({ status: 200, body: { role: 'authenticated' } })
  })
})

describe('a new password', () => {
  test('ends every other session, keeps this one and makes older mails worthless', async () => {
    const { client, email, password, id } = await auth.signedIn()
    const other = (await auth.client().signInWithPassword({ email, password })).data.session!
    await client.updateUser({ email: newEmail() })
    const { error } = await client.updateUser({ password: 'battery staple' })
    expect(error).toBeNull()
    expect((await auth.call('GET', '/user', { token: other.access_token })).status).toBe(403)
    expect((await client.getUser()).error).toBeNull()
    expect((await client.refreshSession()).error).toBeNull()
    const pending = await sql`select 1 from auth_otp where user_id = ${id}`.execute(auth.database.kysely)
    expect(pending.rows).toEqual([])
    expect((await auth.client().signInWithPassword({ email, password })).error!.code).toBe(
      'invalid_credentials',
    )
    expect((await auth.client().signInWithPassword({ email, password: 'battery staple' })).error).toBeNull()
  })

  test('must differ from the old one, be long enough and not too long', async () => {
    const { token, password } = await auth.signedIn()
    expect(await put(token, { password })).toMatchObject({
      status: 422,
      body: { code: 'same_password', message: 'New password should be different from the old password.' },
    })
    expect(await put(token, { password: 'short' })).toMatchObject({
      status: 422,
      body: { code: 'weak_password', weak_password: { reasons: ['length'] } },
    })
    expect(await put(token, { password: '' })).toMatchObject({ status: 422, body: { code: 'weak_password' } })
    expect(await put(token, { password: 'ü'.repeat(37) })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', message: 'Password cannot be longer than 72 characters' },
    })
  })

  test('asks for the current one where the operator wants that', async () => {
    await using strict = await createTestAuth({ requireCurrentPassword: true }, auth.database)
    const { token, password } = await strict.signedIn()
    const change = (body: object) => strict.call('PUT', '/user', { token, headers: apiVersion, body })
    const next = 'battery staple'
    expect(await change({ password: next })).toMatchObject({
      status: 400,
      body: { code: 'current_password_required' },
    })
    expect(await change({ password: next, current_password: 'wrong' })).toMatchObject({
      status: 400,
      body: { code: 'current_password_invalid' },
    })
    expect(await change({ password: next, current_password: password })).toMatchObject({ status: 200 })
  })

  test('refuses a wrong current one also where none is asked for', async () => {
    const { token, password } = await auth.signedIn()
    const change = (current_password: string) => put(token, { password: 'battery staple', current_password })
    expect(await change('wrong')).toMatchObject({ status: 400, body: { code: 'current_password_invalid' } })
    expect(await change(password)).toMatchObject({ status: 200 })
  })
})

describe('a new address', () => {
  test('takes effect when both mailboxes have agreed, in either order', async () => {
    for (const newFirst of [true, false]) {
      const { client, email, id, password } = await auth.signedIn()
      const next = newEmail()
      const { data } = await client.updateUser({ email: next.toUpperCase() })
      expect(data.user).toMatchObject({ email, new_email: next })
      const links = [(await auth.linksTo(next))[0]!, (await auth.linksTo(email))[0]!]
      const [first, second] = newFirst ? links : links.toReversed()
      const half = await auth.follow(first!)
      expect(half.location.hash).toBe(
        '#message=Confirmation+link+accepted.+Please+proceed+to+confirm+link+sent+to+the+other+email&sb=',
      )
      expect((await client.getUser()).data.user!.email).toBe(email)
      expect((await auth.follow(first!)).location.hash).toContain('otp_expired')
      const whole = await auth.follow(second!)
      expect(whole.location.hash).toContain('access_token=')
      const user = (await client.getUser()).data.user!
      expect(user).toMatchObject({ id, email: next, identities: [{ email: next }] })
      expect(user).not.toHaveProperty('new_email')
      expect((await auth.client().signInWithPassword({ email: next, password })).error).toBeNull()
      expect((await auth.client().signInWithPassword({ email, password })).error!.code).toBe(
        'invalid_credentials',
      )
    }
  })

  test('needs the newest pair of links: half of an earlier wish does not count', async () => {
    const { client, email, id } = await auth.signedIn()
    await client.updateUser({ email: newEmail() })
    await auth.follow((await auth.linksTo(email))[0]!)
    await sql`update auth_user set email_change_sent_at = now() - interval '61 seconds' where id = ${id}`.execute(
      auth.database.kysely,
    )
    const next = newEmail()
    await client.updateUser({ email: next })
    const half = await auth.follow((await auth.linksTo(next))[0]!)
    expect(half.location.hash).toContain('message=')
    expect((await client.getUser()).data.user!.email).toBe(email)
  })

  test('takes effect with the new mailbox alone where the operator wants that, whatever was asked before', async () => {
    const { client, id, token } = await auth.signedIn()
    await client.updateUser({ email: newEmail() })
    await sql`update auth_user set email_change_sent_at = null where id = ${id}`.execute(auth.database.kysely)
    await using plain = await createTestAuth({ secureEmailChange: false }, auth.database)
    const next = newEmail()
    await plain.call('PUT', '/user', { token, body: { email: next } })
    await plain.follow((await plain.linksTo(next))[0]!)
    expect((await client.getUser()).data.user!.email).toBe(next)
  })

  test('does not change by guessing: a code that is used up still has to be there', async () => {
    const { client, email } = await auth.signedIn()
    const next = newEmail()
    await client.updateUser({ email: next })
    for (let i = 0; i < 11; i++) await auth.client().verifyOtp({ email, token: `${i}`, type: 'email_change' })
    await auth.follow((await auth.linksTo(next))[0]!)
    expect((await client.getUser()).data.user!.email).toBe(email)
  })

  test('that belongs to somebody is refused, now and when it is confirmed', async () => {
    const [mine, theirs] = [await auth.signedIn(), await auth.signedIn()]
    expect(await put(mine.token, { email: theirs.email })).toMatchObject({
      status: 422,
      body: {
        code: 'email_exists',
        message: 'A user with this email address has already been registered',
      },
    })
    const next = newEmail()
    await mine.client.updateUser({ email: next })
    await auth.client().signUp({ email: next, password: 'correct horse' })
    const [, forMe] = await auth.linksTo(next)
    await auth.follow((await auth.linksTo(mine.email))[0]!)
    const late = await auth.follow(forMe!)
    expect(late.location.hash).toContain('#error_code=email_exists')
  })

  test('is mailed at most once a minute, again on request, and the same address is nothing new', async () => {
    const { client, token, email } = await auth.signedIn()
    expect((await put(token, { email })).body).not.toHaveProperty('new_email')
    const next = newEmail()
    await client.updateUser({ email: next })
    expect(await put(token, { email: newEmail() })).toMatchObject({
      status: 429,
      body: { code: 'over_email_send_rate_limit' },
    })
    expect((await client.getUser()).data.user!.new_email).toBe(next)
    expect((await client.resend({ type: 'email_change', email })).error!.status).toBe(429)
    await sql`update auth_user set email_change_sent_at = null where email = ${email}`.execute(
      auth.database.kysely,
    )
    expect((await client.resend({ type: 'email_change', email })).error).toBeNull()
    expect(await auth.linksTo(next)).toHaveLength(2)
  })
})

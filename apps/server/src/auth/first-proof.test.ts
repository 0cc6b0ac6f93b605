/** Somebody opens an account with an address of another person, who proves the address later. */
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useTestAdmin } from './testing/admin.ts'
import {
  apiVersion,
  createTestAuth,
  fragment,
  newEmail,
  newPhone,
  type TestAuth,
} from './testing/auth-server.ts'
import { callAs, codeOf } from './testing/factors.ts'
import { inbox } from './testing/phones.ts'

const { auth, call } = useTestAdmin()

const strangers = 'password of a stranger'
const owners = 'password of the owner'

const later = async () => {
  await sql`delete from auth_sending`.execute(auth.database.kysely)
  await sql`update auth_user set confirmation_sent_at = confirmation_sent_at - interval '61 seconds',
    recovery_sent_at = recovery_sent_at - interval '61 seconds'`.execute(auth.database.kysely)
}
async function signUp(email: string, password: string, service: TestAuth = auth): Promise<void> {
  await later()
  const { error } = await service.client().signUp({ email, password })
  expect(error).toBeNull()
}
const signIn = async (email: string, password: string) =>
  (await auth.client().signInWithPassword({ email, password })).error?.code ?? 'signed in'
const open = async (link: URL) => fragment((await auth.follow(link)).location)
const newest = async (email: string) => (await auth.linksTo(email))[0]!
const isDropped = async (email: string) =>
  (
    await sql<{ password_dropped: boolean }>`
      select password_dropped from auth_user where email = ${email}`.execute(auth.database.kysely)
  ).rows[0]!.password_dropped

describe('whoever proves the address by a sign-up’s link gets the password of that sign-up', () => {
  test('the owner’s, where a stranger had signed up before', async () => {
    const email = newEmail()
    await signUp(email, strangers)
    await signUp(email, owners)
    expect(await open(await newest(email))).toHaveProperty('access_token')
    expect(await signIn(email, strangers)).toBe('invalid_credentials')
    expect(await signIn(email, owners)).toBe('signed in')
    expect(await isDropped(email)).toBe(false)
  })

  test('the mail says so, and that of a link without a password does not', async () => {
    const email = newEmail()
    await signUp(email, owners)
    const text = async () => (await auth.mailTo(email))[0]!.text
    expect(await text()).toContain('the password that was typed at that sign-up')
    await later()
    await auth.client().signInWithOtp({ email })
    expect(await text()).not.toContain('password')
  })

  test('that of the newest link, which alone is open, and no other', async () => {
    const email = newEmail()
    await signUp(email, owners)
    const first = await newest(email)
    await signUp(email, 'a later password')
    expect(await open(first)).toMatchObject({ error_code: 'otp_expired' })
    expect(await open(await newest(email))).toHaveProperty('access_token')
    expect(await signIn(email, owners)).toBe('invalid_credentials')
    expect(await signIn(email, 'a later password')).toBe('signed in')
  })

  test('a link that is sent again keeps it, whoever asks for that', async () => {
    const email = newEmail()
    await signUp(email, strangers)
    await signUp(email, owners)
    await later()
    await auth.client().resend({ type: 'signup', email })
    await open(await newest(email))
    expect(await signIn(email, strangers)).toBe('invalid_credentials')
    expect(await signIn(email, owners)).toBe('signed in')
  })

  test('a sign-up alone keeps what it set, and a later link changes nothing', async () => {
    const email = newEmail()
    await signUp(email, owners)
    await open(await newest(email))
    await later()
    await auth.client().signInWithOtp({ email })
    expect(await open(await newest(email))).toHaveProperty('access_token')
    expect(await signIn(email, owners)).toBe('signed in')
    expect(await isDropped(email)).toBe(false)
  })
})

describe('whoever proves the address without a password of their own finds no stranger’s', () => {
  test.each<[string, (email: string) => Promise<unknown>]>([
    ['a mailed link', email => auth.client().signInWithOtp({ email })],
    ['a link to a new password', email => auth.client().resetPasswordForEmail(email)],
    ['an invitation', email => call('POST', '/invite', { email })],
  ])('%s', async (_, ask) => {
    const email = newEmail()
    await signUp(email, strangers)
    await later()
    await ask(email)
    expect(await open(await newest(email))).toHaveProperty('access_token')
    expect(await signIn(email, strangers)).toBe('invalid_credentials')
  })

  test('and is told to choose one, until it is chosen', async () => {
    const email = newEmail()
    await signUp(email, strangers)
    await later()
    await auth.client().signInWithOtp({ email })
    const token = (await open(await newest(email)))['access_token']!
    expect(await isDropped(email)).toBe(true)
    await callAs(auth, token, 'PUT', '/user', { password: owners })
    expect(await isDropped(email)).toBe(false)
    expect(await signIn(email, owners)).toBe('signed in')
  })

  test('a code exchanged by its page', async () => {
    const email = newEmail()
    await signUp(email, strangers)
    await later()
    const client = auth.client({ flowType: 'pkce' })
    await client.signInWithOtp({ email })
    const { location } = await auth.follow(await newest(email))
    expect((await client.exchangeCodeForSession(location.searchParams.get('code')!)).error).toBeNull()
    expect(await signIn(email, strangers)).toBe('invalid_credentials')
  })
})

describe('what an administrator set stays', () => {
  test('a password that an account was made with', async () => {
    const email = newEmail()
    await call('POST', '/admin/users', { email, password: owners })
    for (const ask of [
      () => auth.client().signInWithOtp({ email }),
      () => auth.client().resetPasswordForEmail(email),
    ]) {
      await later()
      await ask()
      expect(await open(await newest(email))).toHaveProperty('access_token')
      expect(await signIn(email, owners)).toBe('signed in')
    }
  })

  test('against a sign-up of a stranger, too', async () => {
    const email = newEmail()
    await call('POST', '/admin/users', { email, password: owners })
    await signUp(email, strangers)
    await open(await newest(email))
    expect(await signIn(email, strangers)).toBe('invalid_credentials')
    expect(await signIn(email, owners)).toBe('signed in')
  })

  test('a password that a waiting account was given', async () => {
    const email = newEmail()
    const { data } = await auth.client().signUp({ email, password: strangers })
    await call('PUT', `/admin/users/${data.user!.id}`, { password: owners })
    await later()
    await auth.client().signInWithOtp({ email })
    await open(await newest(email))
    expect(await signIn(email, owners)).toBe('signed in')
  })

  test('an account that was made without one takes that of a sign-up', async () => {
    const email = newEmail()
    await call('POST', '/admin/users', { email })
    await signUp(email, owners)
    await open(await newest(email))
    expect(await signIn(email, owners)).toBe('signed in')
  })

  test('a password goes with the link that an administrator makes for a waiting account', async () => {
    const email = newEmail()
    await signUp(email, strangers)
    const { body } = await call('POST', '/admin/generate_link', { type: 'signup', email, password: owners })
    await open(new URL(String(body['action_link'])))
    expect(await signIn(email, strangers)).toBe('invalid_credentials')
    expect(await signIn(email, owners)).toBe('signed in')
  })

  test('an address that an administrator confirmed is not proved by that', async () => {
    const email = newEmail()
    const { data } = await auth.client().signUp({ email, password: strangers })
    await call('PUT', `/admin/users/${data.user!.id}`, { email_confirm: true })
    expect(await signIn(email, strangers)).toBe('signed in')
    await later()
    await auth.client().resetPasswordForEmail(email)
    await open(await newest(email))
    expect(await signIn(email, strangers)).toBe('invalid_credentials')
  })
})

/** Signed in to an account with the address of somebody else, with a second factor and an API key. */
async function planted(service: TestAuth) {
  const email = newEmail()
  const client = service.client()
  const { data } = await client.signUp({ email, password: strangers })
  const user = data.session!.user
  const { data: factor } = await client.mfa.enroll({ factorType: 'totp', friendlyName: 'app' })
  if (factor?.type !== 'totp') throw new Error('no TOTP factor')
  await client.mfa.challengeAndVerify({ factorId: factor.id, code: codeOf(factor.totp.secret) })
  await sql`
    insert into api_keys (id, user_id, name, key_hash, key_sealed, last_four)
    values (gen_random_uuid(), ${user.id}, 'k', ${Buffer.from(email)}, '\\x00', 'abcd')`.execute(
    auth.database.kysely,
  )
  const { access_token, refresh_token } = (await client.getSession()).data.session!
  return { email, id: user.id, token: access_token, refreshToken: refresh_token }
}

describe('where accounts open without a mail, the first proof ends all that a stranger had', () => {
  const useOpen = () => createTestAuth({ autoconfirm: true }, auth.database, inbox)

  test('password, second factor, sessions, and keys', async () => {
    await using service = await useOpen()
    const { email, id, token, refreshToken } = await planted(service)
    await service.client().resetPasswordForEmail(email)
    const link = await newest(email)
    const owner = fragment((await service.follow(link)).location)['access_token']!
    expect(await signIn(email, strangers)).toBe('invalid_credentials')
    expect(await callAs(service, token, 'GET', '/user')).toMatchObject({
      body: { code: 'session_not_found' },
    })
    const refreshed = await service.call('POST', '/token?grant_type=refresh_token', {
      headers: apiVersion,
      body: { refresh_token: refreshToken },
    })
    expect(refreshed.body).toMatchObject({ code: 'refresh_token_not_found' })
    const { body } = await callAs(service, owner, 'GET', '/user')
    expect(body).toMatchObject({ id, email, identities: [{ provider: 'email' }] })
    expect(body).not.toHaveProperty('factors')
    const keys = await sql`select 1 from api_keys where user_id = ${id} and is_active`.execute(
      auth.database.kysely,
    )
    expect(keys.rows).toEqual([])
    expect(await isDropped(email)).toBe(true)
  })

  test('a phone that the stranger proved first leaves them no part of the address', async () => {
    await using service = await useOpen()
    const email = newEmail()
    const phone = newPhone()
    const client = service.client()
    await client.signUp({ email, password: strangers })
    await client.updateUser({ phone })
    const code = /^\d{6}/.exec((await auth.mailTo(phone))[0]!.text)![0]
    expect((await client.verifyOtp({ phone, token: code, type: 'phone_change' })).error).toBeNull()
    expect((await client.getUser()).data.user).toMatchObject({
      email: '',
      identities: [{ provider: 'phone' }],
    })
    const { data } = await service.client().signUp({ email, password: owners })
    expect(data.session!.user.email).toBe(email)
  })

  test('an address that was asked for by a stranger is its owner’s alone once it is agreed to', async () => {
    await using service = await createTestAuth({ phoneAutoconfirm: true }, auth.database, inbox)
    const [phone, email] = [newPhone(), newEmail()]
    const client = service.client()
    await client.signUp({ phone, password: strangers })
    await client.updateUser({ email })
    const owner = (await open(await newest(email)))['access_token']!
    const { body } = await callAs(service, owner, 'GET', '/user')
    expect(body).toMatchObject({ email, phone: '', identities: [{ provider: 'email' }] })
    for (const by of [{ phone }, { email }])
      expect((await service.client().signInWithPassword({ ...by, password: strangers })).error).not.toBeNull()
    expect((await client.getUser()).error).not.toBeNull()
  })

  test('an anonymous account, but for the password that was asked for with the address', async () => {
    await using service = await createTestAuth({ anonymous: true }, auth.database)
    const email = newEmail()
    const client = service.client()
    await client.signInAnonymously()
    expect((await client.updateUser({ email, password: owners })).error).toBeNull()
    expect(await open(await newest(email))).toHaveProperty('access_token')
    expect((await client.getUser()).error).not.toBeNull()
    expect(await signIn(email, owners)).toBe('signed in')
  })

  test('by a link that a new password or phone of the stranger’s leaves open', async () => {
    await using service = await createTestAuth(
      { autoconfirm: true, phoneAutoconfirm: true },
      auth.database,
      inbox,
    )
    const { email, token } = await planted(service)
    await later()
    await service.client().resetPasswordForEmail(email)
    expect((await callAs(service, token, 'PUT', '/user', { password: `${strangers} 2` })).status).toBe(200)
    expect((await callAs(service, token, 'PUT', '/user', { phone: newPhone() })).status).toBe(200)
    expect(await open(await newest(email))).toHaveProperty('access_token')
    expect(await signIn(email, `${strangers} 2`)).toBe('invalid_credentials')
  })

  test('whatever the stranger does in the meantime', async () => {
    await using service = await useOpen()
    const left: unknown[] = []
    for (let round = 0; round < 8; round++) {
      const { email, id, token } = await planted(service)
      await later()
      await service.client().resetPasswordForEmail(email)
      const link = await newest(email)
      const { 0: followed } = await Promise.all([
        service.follow(link),
        ...Array.from({ length: 4 }, (_, n) => [
          service.client().signInWithPassword({ email, password: strangers }),
          callAs(service, token, 'PUT', '/user', { password: `${strangers} ${n}` }),
          callAs(service, token, 'PUT', '/user', { email: newEmail() }),
        ]).flat(),
      ])
      expect(fragment(followed.location)).toHaveProperty('access_token')
      const { rows } = await sql`
        select password_hash, new_email, (select count(*)::int from auth_session where user_id = ${id}) as sessions
        from auth_user where id = ${id}`.execute(auth.database.kysely)
      left.push(...rows)
    }
    expect(left).toEqual(
      Array.from({ length: 8 }, () => ({ password_hash: null, new_email: null, sessions: 1 })),
    )
  })
})

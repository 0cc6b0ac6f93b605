import { setTimeout as sleep } from 'node:timers/promises'
import { hash } from '@node-rs/argon2'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressKey } from './addresses.ts'
import { hashPassword } from './passwords/passwords.ts'
import { apiVersion, createTestAuth, newEmail, type TestAuth } from './testing/auth-server.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await createTestAuth({ wrongPasswords: { free: 1000, maxPauseSeconds: 1 } })
})
afterAll(() => auth[Symbol.asyncDispose]())

const password = 'correct horse'

const lowerQuartile = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)]!

describe('signing in', () => {
  test('answers a session whose token the client verifies by the published keys', async () => {
    const { email, id } = await auth.signedIn()
    const client = auth.client()
    const { data } = await client.signInWithPassword({ email, password })
    const session = data.session!
    expect(session).toMatchObject({ token_type: 'bearer', expires_in: 3600 })
    expect(session.expires_at! - Date.now() / 1000).toBeGreaterThan(3590)
    expect(session.user.last_sign_in_at).toBeTruthy()

    const { data: verified, error } = await client.getClaims()
    expect(error).toBeNull()
    expect(verified!.header).toMatchObject({ alg: 'ES256', typ: 'JWT' })
    const { iat, exp, session_id, amr, ...claims } = verified!.claims
    expect(exp - iat).toBe(3600)
    expect(session_id).toMatch(/^[0-9a-f-]{36}$/)
    expect(amr).toEqual([{ method: 'password', timestamp: expect.any(Number) as number }])
    expect(claims).toEqual({
      iss: 'http://localhost:8080/auth/v1',
      sub: id,
      aud: 'authenticated',
      email,
      phone: '',
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: expect.objectContaining({ email, email_verified: true }) as object,
      role: 'authenticated',
      aal: 'aal1',
      is_anonymous: false,
    })
  })

  test('with a password that is changed while it is checked opens no session', async () => {
    const { email, id } = await auth.signedIn()
    const slow = await hash(password, { memoryCost: 19_456, timeCost: 60, parallelism: 1 })
    const change = (passwordHash: string) =>
      sql`update auth_user set password_hash = ${passwordHash} where id = ${id}`.execute(auth.database.kysely)
    // Made before: it would wait behind the slow one.
    const other = await hashPassword('another horse')
    await change(slow)
    const signingIn = auth.client().signInWithPassword({ email, password })
    // By now it has been read; the check takes several times as long.
    await sleep(50)
    await change(other)
    const { data, error } = await signingIn
    expect(error).toMatchObject({ status: 400, code: 'invalid_credentials' })
    expect(data.session).toBeNull()
  })

  test('gives one answer for an unknown address, a wrong password and a user without one', async () => {
    const { email } = await auth.signedIn()
    const withoutPassword = await auth.signedIn()
    await sql`update auth_user set password_hash = null where id = ${withoutPassword.id}`.execute(
      auth.database.kysely,
    )
    const tries = [
      { email, password: 'wrong horse' },
      { email, password: '' },
      { email, password: `${password}${'!'.repeat(900)}` },
      { email: newEmail(), password },
      { email: 'no address\u0000', password },
      { email: withoutPassword.email, password },
      { email: withoutPassword.email, password: '' },
    ]
    for (const body of tries) {
      const answer = await auth.call('POST', '/token?grant_type=password', { headers: apiVersion, body })
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 'invalid_credentials', message: 'Invalid login credentials' },
      })
    }
  })

  test('tells that an account is unconfirmed or banned only after the right password', async () => {
    const email = newEmail()
    await auth.client().signUp({ email, password })
    const code = async (password: string) =>
      (await auth.client().signInWithPassword({ email, password })).error!.code
    expect(await code('wrong horse')).toBe('invalid_credentials')
    expect(await code(password)).toBe('email_not_confirmed')
    await auth.follow((await auth.linksTo(email))[0]!)
    await sql`update auth_user set banned_until = now() + interval '1 hour' where email = ${email}`.execute(
      auth.database.kysely,
    )
    expect(await code('wrong horse')).toBe('invalid_credentials')
    expect(await code(password)).toBe('user_banned')
  })

  test('takes as long for an unknown address as for a wrong password', async () => {
    const { email } = await auth.signedIn()
    const time = async (email: string) => {
      const start = performance.now()
      await auth.call('POST', '/token?grant_type=password', { body: { email, password: 'wrong horse' } })
      return performance.now() - start
    }
    const known: number[] = []
    const unknown: number[] = []
    for (let i = 0; i < 25; i++) {
      known.push(await time(email))
      unknown.push(await time(newEmail()))
    }
    // What else this machine does only adds.
    const ratio = lowerQuartile(unknown) / lowerQuartile(known)
    expect(ratio).toBeGreaterThan(0.75)
    expect(ratio).toBeLessThan(1.33)
  })

  test('together with others, each gets an answer of its own', async () => {
    const [usual, wrong, banned, newDevice, failed] = await Promise.all(
      Array.from({ length: 5 }, () => auth.signedIn()),
    )
    const { kysely } = auth.database
    await sql`update auth_user set banned_until = now() + interval '1 hour' where id = ${banned!.id}`.execute(
      kysely,
    )
    const signIn = (body: object, userAgent = '') =>
      auth.call('POST', '/token?grant_type=password', {
        headers: { ...apiVersion, ...(userAgent && { 'user-agent': userAgent }) },
        body: { password, ...body },
      })
    await signIn({ email: failed!.email, password: 'wrong horse' })
    const answers = await Promise.all([
      signIn({ email: usual!.email }),
      signIn({ email: usual!.email }),
      signIn({ email: wrong!.email, password: 'wrong horse' }),
      signIn({ email: newEmail() }),
      signIn({ email: banned!.email }),
      signIn(
        { email: newDevice!.email },
        'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      ),
      signIn({ email: failed!.email }),
      signIn({ email: 'no address' }),
    ])
    const wanted = [
      usual!.id,
      usual!.id,
      'invalid_credentials',
      'invalid_credentials',
      'user_banned',
      newDevice!.id,
      failed!.id,
      'invalid_credentials',
    ]
    const of = (body: { code?: string; user?: { id: string } }) => body.user?.id ?? body.code
    expect(answers.map(({ body }) => of(body as object))).toEqual(wanted)
    const sessions = answers.flatMap(({ body }) => {
      const { access_token } = body as { access_token?: string }
      return access_token ? [decodeJwt(access_token)] : []
    })
    expect(sessions).toHaveLength(4)
    expect(new Set(sessions.map(({ session_id }) => session_id)).size).toBe(4)
    for (const { session_id, sub } of sessions) {
      const { rows } = await sql`select user_id from auth_session where id = ${session_id}`.execute(kysely)
      expect(rows).toEqual([{ user_id: sub }])
    }
    expect(await auth.mailTo(newDevice!.email)).toContainEqual(
      expect.objectContaining({ subject: expect.stringContaining('New sign-in') as string }),
    )
    const { rows } =
      await sql`select count(*)::integer as left from auth_failure where key = ${addressKey(failed!.email)}`.execute(
        kysely,
      )
    expect(rows).toEqual([{ left: 0 }])
  })

  test('says so when the right password has become too weak', async () => {
    const { email, id } = await auth.signedIn()
    await sql`update auth_user set password_hash = ${await hashPassword('abc')} where id = ${id}`.execute(
      auth.database.kysely,
    )
    const { data } = await auth.client().signInWithPassword({ email, password: 'abc' })
    expect(data.session).toBeTruthy()
    expect(data.weakPassword).toMatchObject({ reasons: ['length'] })
  })
})

test.each([
  [{ password }, 400, 'validation_failed', 'missing email or phone'],
  [
    { email: 'a@b.c', phone: '+4912345', password },
    400,
    'validation_failed',
    'Only an email address or phone number should be provided on login.',
  ],
  [{ phone: '+4912345', password }, 422, 'phone_provider_disabled', 'Phone logins are disabled'],
  [{ phone: 'nonsense', password }, 400, 'validation_failed', 'Invalid phone number format (E.164 required)'],
])('POST /token refuses %j', async (body, status, code, message) => {
  const answer = await auth.call('POST', '/token?grant_type=password', { headers: apiVersion, body })
  expect(answer).toMatchObject({ status, body: { code, message } })
})

test.each([
  ['?grant_type=id_token', 400, 'provider_disabled', 'Provider (issuer "google") is not enabled'],
  ['?grant_type=web3', 422, 'web3_provider_disabled', 'Web3 provider is disabled'],
  ['?grant_type=client_credentials', 400, 'invalid_credentials', 'unsupported_grant_type'],
  ['?grant_type=toString', 400, 'invalid_credentials', 'unsupported_grant_type'],
  ['', 400, 'invalid_credentials', 'unsupported_grant_type'],
])('POST /token%s is refused as the contract says', async (query, status, code, message) => {
  const body = { provider: 'google' }
  const answer = await auth.call('POST', `/token${query}`, { headers: apiVersion, body })
  expect(answer).toMatchObject({ status, body: { code, message } })
})

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  apiVersion,
  createTestAuth,
  fragment,
  newEmail,
  siteUrl,
  type TestAuth,
} from './testing/auth-server.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await createTestAuth()
})
afterAll(() => auth[Symbol.asyncDispose]())

const post = (body: unknown, path = '/otp') => auth.call('POST', path, { headers: apiVersion, body })
const laterBy = (seconds: number) =>
  sql`update auth_sending set sent_at = sent_at - ${seconds} * interval '1 second'`.execute(
    auth.database.kysely,
  )
const users = async (email: string) =>
  (
    await sql<{ password_hash: string | null; recovery_sent_at: string | null }>`
      select password_hash, recovery_sent_at from auth_user where email = ${email}`.execute(
      auth.database.kysely,
    )
  ).rows

describe('a link asked for instead of a password', () => {
  test('opens an account that has none, with the mail of a sign-up', async () => {
    const email = newEmail()
    const client = auth.client()
    const { data, error } = await client.signInWithOtp({
      email: email.toUpperCase(),
      options: { data: { first_name: 'Ada' }, emailRedirectTo: `${siteUrl}/console` },
    })
    expect(error).toBeNull()
    expect(data).toEqual({ user: null, session: null, messageId: undefined })
    expect(await users(email)).toEqual([{ password_hash: null, recovery_sent_at: null }])
    const [letter] = await auth.mailTo(email)
    expect(letter).toMatchObject({ kind: 'mail', subject: 'Confirm your address to open your Ingot account' })
    const [link] = await auth.linksTo(email)
    expect(link!.searchParams.get('type')).toBe('signup')
    expect(link!.searchParams.get('redirect_to')).toBe(`${siteUrl}/console`)
    const { location } = await auth.follow(link!)
    expect(location.hash).toContain('type=signup')
    const refreshToken = new URLSearchParams(location.hash.slice(1)).get('refresh_token')!
    const { data: session } = await client.refreshSession({ refresh_token: refreshToken })
    expect(session.user).toMatchObject({ email, user_metadata: { first_name: 'Ada', email_verified: true } })
  })

  test('that is never confirmed cannot be entered with any password', async () => {
    const email = newEmail()
    await auth.client().signInWithOtp({ email })
    for (const password of ['', 'correct horse'])
      expect((await auth.client().signInWithPassword({ email, password })).error!.code).toBe(
        'invalid_credentials',
      )
  })

  test('signs in who has an account; the user says when it was sent', async () => {
    const { email, client } = await auth.signedIn()
    expect(await post({ email })).toMatchObject({ status: 200, body: {} })
    const [letter] = await auth.mailTo(email)
    expect(letter!.subject).toBe('Your link to sign in to Ingot')
    const [link] = await auth.linksTo(email)
    expect(link!.searchParams.get('type')).toBe('magiclink')
    expect((await auth.follow(link!)).location.hash).toContain('type=magiclink')
    expect((await auth.follow(link!)).location.hash).toContain('otp_expired')
    const { data } = await client.getUser()
    expect(data.user!.recovery_sent_at).toMatch(/^\d{4}-\d\d-\d\dT/)
  })

  test('is the token that the client can redeem itself, as magiclink and as email', async () => {
    for (const type of ['magiclink', 'email'] as const) {
      const { email } = await auth.signedIn()
      await auth.client().signInWithOtp({ email })
      const token_hash = (await auth.linksTo(email))[0]!.searchParams.get('token')!
      const client = auth.client()
      expect((await client.verifyOtp({ token_hash, type })).error).toBeNull()
      const { data } = await client.getClaims()
      expect(data!.claims).toMatchObject({ email, amr: [{ method: 'otp' }] })
    }
  })

  test('confirms an address that never was; its account stays, without the password that anybody may have set', async () => {
    const email = newEmail()
    await auth.client().signUp({ email, password: 'correct horse', options: { data: { a: 1 } } })
    await post({ email, data: { a: 2 } })
    const links = await auth.linksTo(email)
    expect(links.map(link => link.searchParams.get('type'))).toEqual(['signup', 'signup'])
    expect((await auth.follow(links[1]!)).location.hash).toContain('otp_expired')
    const { access_token: token } = fragment((await auth.follow(links[0]!)).location)
    expect((await auth.call('GET', '/user', { token })).body).toMatchObject({ user_metadata: { a: 1 } })
    const { error } = await auth.client().signInWithPassword({ email, password: 'correct horse' })
    expect(error!.code).toBe('invalid_credentials')
  })

  test('with a challenge leads to a code (PKCE), for a new user and a known one', async () => {
    const known = await auth.signedIn()
    for (const [email, method] of [
      [newEmail(), 'email/signup'],
      [known.email, 'magiclink'],
    ] as const) {
      const client = auth.client({ flowType: 'pkce' })
      expect((await client.signInWithOtp({ email })).error).toBeNull()
      const link = (await auth.linksTo(email))[0]!
      expect(link.searchParams.get('token')).toMatch(/^pkce_/)
      const code = (await auth.follow(link)).location.searchParams.get('code')!
      const { error } = await client.exchangeCodeForSession(code)
      expect(error).toBeNull()
      expect((await client.getClaims()).data!.claims.amr).toMatchObject([{ method }])
    }
  })

  test('is refused for an unknown address when no account is to be made, and sent for a known one', async () => {
    const email = newEmail()
    const { error } = await auth.client().signInWithOtp({ email, options: { shouldCreateUser: false } })
    expect(error).toMatchObject({
      status: 422,
      code: 'otp_disabled',
      message: 'Signups not allowed for otp',
    })
    expect(await users(email)).toEqual([])
    const known = await auth.signedIn()
    const { error: none } = await auth
      .client()
      .signInWithOtp({ email: known.email, options: { shouldCreateUser: false } })
    expect(none).toBeNull()
  })

  test('opens no account where signing up is off', async () => {
    await using closed = await createTestAuth({ signUp: false }, auth.database)
    const { error } = await closed.client().signInWithOtp({ email: newEmail() })
    expect(error).toMatchObject({ status: 422, code: 'signup_disabled' })
    const { email } = await auth.signedIn()
    expect((await closed.client().signInWithOtp({ email })).error).toBeNull()
  })

  test('signs in at once who is new, where accounts need no confirmation', async () => {
    await using open = await createTestAuth({ autoconfirm: true }, auth.database)
    const email = newEmail()
    await open.client().signInWithOtp({ email })
    expect((await open.linksTo(email))[0]!.searchParams.get('type')).toBe('magiclink')
  })

  test('is not offered where mail is off', async () => {
    await using silent = await createTestAuth({ emailProvider: false }, auth.database)
    const { error } = await silent.client().signInWithOtp({ email: newEmail() })
    expect(error).toMatchObject({ status: 422, code: 'email_provider_disabled' })
    const recover = await silent.client().resetPasswordForEmail(newEmail())
    expect(recover.error).toMatchObject({ status: 400, code: 'email_provider_disabled' })
    const signUp = await silent.client().signUp({ email: newEmail(), password: 'correct horse' })
    expect(signUp.error).toMatchObject({ status: 400, code: 'email_provider_disabled' })
    const signIn = await silent.client().signInWithPassword({ email: newEmail(), password: 'correct horse' })
    expect(signIn.error).toMatchObject({ status: 422, code: 'email_provider_disabled' })
  })

  test('is sent at most once a minute, and an address without an account waits the same', async () => {
    const known = await auth.signedIn()
    const waiting = newEmail()
    await auth.client().signUp({ email: waiting, password: 'correct horse' })
    for (const email of [known.email, waiting, newEmail()]) {
      expect((await post({ email })).status).toBe(200)
      const soon = await post({ email })
      expect(soon).toMatchObject({ status: 429, body: { code: 'over_email_send_rate_limit' } })
      expect(soon.body['message']).toMatch(
        /^For security purposes, you can only request this after (59|60) seconds\.$/,
      )
      await laterBy(61)
      expect((await post({ email })).status).toBe(200)
    }
  })

  test('many times at once is one mail', async () => {
    const email = newEmail()
    const answers = await Promise.all(Array.from({ length: 12 }, () => post({ email })))
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(1)
    expect(answers.filter(answer => answer.status === 429)).toHaveLength(11)
    expect(await auth.mailTo(email)).toHaveLength(1)
  })

  test.each([
    [{}, 'One of email or phone must be set'],
    [{ email: 'a@b.c', phone: '+4912345' }, 'Only an email address or phone number should be provided'],
    [{ email: 'a@b.c', channel: 'sms' }, 'Channel should only be specified with Phone OTP'],
    [{ email: 'nonsense' }, 'Unable to validate email address: invalid format'],
    [{ email: `${'x'.repeat(250)}@example.com` }, 'An email address is too long'],
    [
      { email: 'a@b.c', code_challenge: 'x'.repeat(43) },
      'PKCE flow requires code_challenge_method and code_challenge',
    ],
  ])('is refused: %j', async (body, message) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { code: 'validation_failed', message } })
  })

  test.each([
    [{ phone: '+4915112345678' }, 'phone_provider_disabled', 'Unsupported phone provider'],
    [{ email: 'a@b.c', create_user: 'no' }, 'bad_json', /create_user must be true or false/],
    [{ email: 'a@b.c', data: [] }, 'bad_json', /data must be an object/],
  ])('is refused: %j with its own code', async (body, code, message) => {
    const answer = await post(body)
    expect(answer).toMatchObject({ status: 400, body: { code } })
    expect(answer.body['message']).toMatch(message)
  })
})

test('resending tells nothing by its pauses: unknown, confirmed and waiting addresses are served once a minute', async () => {
  const known = await auth.signedIn()
  const waiting = newEmail()
  await auth.client().signUp({ email: waiting, password: 'correct horse' })
  await sql`update auth_user set confirmation_sent_at = now() - interval '61 seconds' where email = ${waiting}`.execute(
    auth.database.kysely,
  )
  for (const email of [known.email, waiting, newEmail()]) {
    for (const type of ['signup', 'email_change']) {
      const statuses = [
        (await post({ type, email }, '/resend')).status,
        (await post({ type, email }, '/resend')).status,
      ]
      expect(statuses).toEqual([200, 429])
    }
  }
  expect(await auth.linksTo(waiting)).toHaveLength(2)
})

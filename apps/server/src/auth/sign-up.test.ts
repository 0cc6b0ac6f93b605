import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { listMail } from '../worker/mail.ts'
import { apiVersion, createTestAuth, newEmail, siteUrl, type TestAuth } from './testing/auth-server.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await createTestAuth()
})
afterAll(() => auth[Symbol.asyncDispose]())

const password = 'correct horse'
const later = async (email: string) => {
  await sql`delete from auth_sending`.execute(auth.database.kysely)
  await sql`update auth_user set confirmation_sent_at = now() - interval '61 seconds' where email = ${email}`.execute(
    auth.database.kysely,
  )
}

describe('a new account', () => {
  test('opens with the link that was mailed: sign-up, mail, link, session', async () => {
    const email = newEmail()
    const client = auth.client()
    const { data, error } = await client.signUp({
      email,
      password,
      options: {
        data: { first_name: 'Ada', last_name: 'Lovelace' },
        emailRedirectTo: `${siteUrl}/get-started`,
      },
    })
    expect(error).toBeNull()
    expect(data.session).toBeNull()
    expect(data.user).toMatchObject({
      aud: 'authenticated',
      role: 'authenticated',
      email,
      phone: '',
      app_metadata: { provider: 'email', providers: ['email'] },
      is_anonymous: false,
    })
    expect(data.user!.user_metadata).toEqual({
      first_name: 'Ada',
      last_name: 'Lovelace',
      sub: data.user!.id,
      email,
      email_verified: false,
      phone_verified: false,
    })
    expect(data.user!.identities).toHaveLength(1)
    expect(data.user!.confirmation_sent_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    expect(data.user).not.toHaveProperty('last_sign_in_at')
    expect(data.user).not.toHaveProperty('email_confirmed_at')
    expect(JSON.stringify(data.user)).not.toContain('argon2')
    expect(auth.wakeUps).toContain('mail')

    const links = await auth.linksTo(email)
    expect(links).toHaveLength(1)
    expect(links[0]!.href).toMatch(
      /^http:\/\/localhost:8080\/auth\/v1\/verify\?token=[0-9a-f]{56}&type=signup&redirect_to=http:\/\/localhost:8080\/get-started$/,
    )
    const { status, location } = await auth.follow(links[0]!)
    expect(status).toBe(303)
    expect(location.href).toMatch(/^http:\/\/localhost:8080\/get-started#/)
    const fragment = new URLSearchParams(location.hash.slice(1))
    expect([...fragment.keys()]).toEqual([
      'access_token',
      'expires_at',
      'expires_in',
      'refresh_token',
      'sb',
      'token_type',
      'type',
    ])
    expect(fragment.get('type')).toBe('signup')

    const session = await client.setSession({
      access_token: fragment.get('access_token')!,
      refresh_token: fragment.get('refresh_token')!,
    })
    expect(session.error).toBeNull()
    const user = (await client.getUser()).data.user!
    expect(user.email_confirmed_at).toBe(user.confirmed_at)
    expect(user.user_metadata).toMatchObject({ email_verified: true })
    expect(user.identities![0]).toMatchObject({
      id: user.id,
      user_id: user.id,
      provider: 'email',
      email,
      identity_data: { email_verified: true },
    })
    const { rows } = await sql<{ first_name: string; plan_name: string }>`
      select first_name, plan_name from profiles where user_id = ${user.id}`.execute(auth.database.kysely)
    expect(rows).toEqual([{ first_name: 'Ada', plan_name: 'Free' }])
  })

  test('is asked for in a letter that says what for, holds one link and tells until when it works', async () => {
    const email = newEmail()
    await auth.client().signUp({ email, password })
    const [letter] = (await listMail(auth.database.kysely, auth.vault)).filter(mail => mail.to === email)
    expect(letter!.subject).toBe('Confirm your address to open your Ingot account')
    expect(letter!.links).toHaveLength(1)
    expect(letter!.text).toMatch(/The link works once, until \d{1,2} \w+ \d{4}, \d\d:\d\d UTC\./)
    expect(letter!.text).not.toContain('!')
  })

  test('takes one address in any case', async () => {
    const email = newEmail()
    const { data } = await auth.client().signUp({ email: email.toUpperCase(), password })
    expect(data.user!.email).toBe(email)
    await auth.follow((await auth.linksTo(email))[0]!)
    const { error } = await auth.client().signInWithPassword({ email: email.toUpperCase(), password })
    expect(error).toBeNull()
  })

  test('is one account when twenty sign-ups of the address arrive at once', async () => {
    const email = newEmail()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => auth.call('POST', '/signup', { body: { email, password } })),
    )
    const made = answers.filter(answer => answer.status === 200)
    expect(made).toHaveLength(1)
    expect(answers.filter(answer => answer.status === 429)).toHaveLength(19)
    expect(await auth.linksTo(email)).toHaveLength(1)
  })

  test('opens at once where the operator wants no mail', async () => {
    await using open = await createTestAuth({ autoconfirm: true }, auth.database)
    const email = newEmail()
    const { data } = await open.client().signUp({ email, password })
    expect(data.session!.user.email_confirmed_at).toBeTruthy()
    expect(data.session!.user.last_sign_in_at).toBeTruthy()
    expect(await open.linksTo(email)).toEqual([])
    const again = await open.client().signUp({ email, password })
    expect(again.error).toMatchObject({
      status: 422,
      code: 'user_already_exists',
      message: 'User already registered',
    })
  })

  test('is refused where the operator has closed it, and clients can see that before', async () => {
    const { auth: configured } = readConfig({ INGOT_SIGN_UP: 'false' })
    await using closed = await createTestAuth({}, auth.database, { auth: configured })
    expect((await closed.call('GET', '/settings')).body).toMatchObject({ disable_signup: true })
    expect((await auth.call('GET', '/settings')).body).toMatchObject({ disable_signup: false })
    const { error } = await closed.client().signUp({ email: newEmail(), password })
    expect(error).toMatchObject({
      status: 422,
      code: 'signup_disabled',
      message: 'Signups not allowed for this instance',
    })
  })
})

describe('an address with an account', () => {
  test('that is confirmed gets a user that does not exist, built from the request alone, and no mail', async () => {
    const { email, id } = await auth.signedIn()
    const mails = await auth.linksTo(email)
    const { status, body } = await auth.call('POST', '/signup', {
      body: { email, password: 'another one', data: { first_name: 'Eve' } },
    })
    expect(status).toBe(200)
    const { id: fakeId, created_at, updated_at, confirmation_sent_at, ...rest } = body
    expect(fakeId).not.toBe(id)
    expect(created_at).toBe(updated_at)
    expect(created_at).toBe(confirmation_sent_at)
    expect(rest).toEqual({
      aud: 'authenticated',
      role: '',
      email,
      phone: '',
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: { first_name: 'Eve' },
      identities: [],
      is_anonymous: false,
    })
    expect(await auth.linksTo(email)).toEqual(mails)
  })

  test('that waits for its mail is not changed; the mail is sent again, at most once a minute', async () => {
    const email = newEmail()
    const first = await auth.client().signUp({ email, password, options: { data: { first_name: 'Ada' } } })
    const tooSoon = await auth.call('POST', '/signup', {
      headers: apiVersion,
      body: { email, password: 'other one' },
    })
    expect(tooSoon).toMatchObject({ status: 429, body: { code: 'over_email_send_rate_limit' } })
    expect(tooSoon.body['message']).toMatch(
      /^For security purposes, you can only request this after \d+ seconds\.$/,
    )
    await later(email)
    const second = await auth.client().signUp({
      email,
      password: 'other one',
      options: { data: { first_name: 'Eve' } },
    })
    expect(second.data.user!.id).toBe(first.data.user!.id)
    expect(second.data.user!.user_metadata).toMatchObject({ first_name: 'Ada' })
    const [newest, older] = await auth.linksTo(email)
    expect((await auth.follow(older!)).location.hash).toContain('error_code=otp_expired')
    expect((await auth.follow(newest!)).location.hash).toContain('access_token=')
    expect((await auth.client().signInWithPassword({ email, password })).error!.code).toBe(
      'invalid_credentials',
    )
    expect((await auth.client().signInWithPassword({ email, password: 'other one' })).error).toBeNull()
  })

  test('takes as long to refuse as a new one takes to open', async () => {
    const { email } = await auth.signedIn()
    const known: number[] = []
    const fresh: number[] = []
    for (let i = 0; i < 12; i++) {
      known.push(await took(() => auth.call('POST', '/signup', { body: { email, password } })))
      fresh.push(await took(() => auth.call('POST', '/signup', { body: { email: newEmail(), password } })))
    }
    expect(median(known)).toBeGreaterThan(median(fresh) / 2)
  })
})

async function took(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

describe('resend', () => {
  test('mails a new link, at most once a minute, and tells nothing about addresses it does not know', async () => {
    const email = newEmail()
    const client = auth.client()
    await client.signUp({ email, password })
    const tooSoon = await client.resend({ type: 'signup', email })
    expect(tooSoon.error).toMatchObject({ status: 429, code: 'over_email_send_rate_limit' })
    await later(email)
    expect((await client.resend({ type: 'signup', email })).error).toBeNull()
    const links = await auth.linksTo(email)
    expect(links).toHaveLength(2)
    await auth.follow(links[0]!)
    await later(email)
    const answers = [
      await auth.call('POST', '/resend', { body: { type: 'signup', email } }),
      await auth.call('POST', '/resend', { body: { type: 'signup', email: newEmail() } }),
      await auth.call('POST', '/resend', { body: { type: 'email_change', email } }),
    ]
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: {} })
    expect(await auth.linksTo(email)).toHaveLength(2)
  })

  test.each([
    [{}, 'Missing one of these types: signup, email_change, sms, phone_change'],
    [
      { type: 'recovery', email: 'a@b.c' },
      'Missing one of these types: signup, email_change, sms, phone_change',
    ],
    [{ type: 'signup' }, 'Type provided requires an email address'],
    [{ type: 'sms' }, 'Type provided requires a phone number'],
    [
      { type: 'signup', email: 'a@b.c', phone: '+4912345' },
      'Only an email address or phone number should be provided.',
    ],
    [{ type: 'signup', email: 'nonsense' }, 'Unable to validate email address: invalid format'],
    [{ type: 'phone_change', phone: '+4912345' }, 'Phone logins are disabled'],
  ])('refuses %j', async (body, message) => {
    const answer = await auth.call('POST', '/resend', { headers: apiVersion, body })
    expect(answer).toMatchObject({ status: 400, body: { message } })
  })
})

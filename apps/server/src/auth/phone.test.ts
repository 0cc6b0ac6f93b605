import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { apiVersion, createTestAuth, newEmail, newPhone, type TestAuth } from './test-auth.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await createTestAuth({}, undefined, { sms: { kind: 'inbox' } })
})
afterAll(() => auth[Symbol.asyncDispose]())

const password = 'correct horse'
const digits = (phone: string) => phone.slice(1)
const post = (path: string, body: unknown) => auth.call('POST', path, { headers: apiVersion, body })
const later = () =>
  sql`update auth_sending set sent_at = sent_at - interval '61 seconds'`.execute(auth.database.kysely)

/** The newest code sent to a phone. */
async function codeTo(phone: string, on: TestAuth = auth): Promise<string> {
  const [sms] = await on.mailTo(phone)
  return /^\d{6}/.exec(sms!.text)![0]
}

async function withPhone() {
  const phone = newPhone()
  const client = auth.client()
  await client.signUp({ phone, password })
  const { data } = await client.verifyOtp({ phone, token: await codeTo(phone), type: 'sms' })
  await later()
  return { phone, client, user: data.user!, token: data.session!.access_token }
}

describe('an account known by its phone', () => {
  test('opens with the code that was sent: sign-up, message, code, session', async () => {
    const phone = newPhone()
    const client = auth.client()
    const { data, error } = await client.signUp({ phone, password, options: { data: { first_name: 'Ada' } } })
    expect(error).toBeNull()
    expect(data.session).toBeNull()
    const { id } = data.user!
    expect(data.user).toMatchObject({
      phone: digits(phone),
      email: '',
      app_metadata: { provider: 'phone', providers: ['phone'] },
      user_metadata: { first_name: 'Ada', sub: id, phone: digits(phone), phone_verified: false },
      identities: [{ provider: 'phone', id, identity_data: { sub: id, phone: digits(phone) } }],
    })
    expect(data.user!.confirmation_sent_at).toBeTruthy()
    expect(data.user).not.toHaveProperty('phone_confirmed_at')

    const messages = await auth.mailTo(phone)
    expect(messages).toHaveLength(1)
    expect(messages[0]).toMatchObject({ kind: 'sms', subject: '', links: [] })
    expect(messages[0]!.text).toMatch(
      /^\d{6} is your Ingot code for localhost:8080\. It works once, for 60 seconds\. Give it to nobody\.$/,
    )
    expect((await client.signInWithPassword({ phone, password })).error).toMatchObject({
      status: 400,
      code: 'phone_not_confirmed',
      message: 'Phone not confirmed',
    })

    const verified = await client.verifyOtp({ phone, token: await codeTo(phone), type: 'sms' })
    expect(verified.error).toBeNull()
    expect(verified.data.user).toMatchObject({
      id,
      phone: digits(phone),
      user_metadata: { phone_verified: true },
      identities: [{ identity_data: { phone_verified: true } }],
    })
    expect(verified.data.user!.phone_confirmed_at).toBe(verified.data.user!.confirmed_at)
    expect((await client.getClaims()).data!.claims).toMatchObject({
      sub: id,
      email: '',
      phone: digits(phone),
      amr: [{ method: 'otp' }],
    })
    expect((await auth.client().signInWithPassword({ phone, password })).error).toBeNull()
  })

  test('signs in by password, its number written with plus and spaces or without', async () => {
    const { phone } = await withPhone()
    for (const written of [phone, digits(phone), `+49 ${phone.slice(3)}`])
      expect((await auth.client().signInWithPassword({ phone: written, password })).error).toBeNull()
    expect((await auth.client().signInWithPassword({ phone, password: 'wrong' })).error).toMatchObject({
      status: 400,
      code: 'invalid_credentials',
    })
    expect((await auth.client().signInWithPassword({ phone: newPhone(), password })).error).toMatchObject({
      status: 400,
      code: 'invalid_credentials',
    })
  })

  test('signs in by a code, and the answer names the message', async () => {
    const { phone, user } = await withPhone()
    const client = auth.client()
    const { data, error } = await client.signInWithOtp({ phone })
    expect(error).toBeNull()
    const [sms] = await auth.mailTo(phone)
    expect(data.messageId).toBe(sms!.id)
    const verified = await client.verifyOtp({ phone, token: await codeTo(phone), type: 'sms' })
    expect(verified.data.user!.id).toBe(user.id)
  })

  test('opens by a code alone', async () => {
    const phone = newPhone()
    const answer = await post('/otp', { phone, data: { a: 1 } })
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body).toEqual({})
    const client = auth.client()
    const { data } = await client.verifyOtp({ phone, token: await codeTo(phone), type: 'sms' })
    expect(data.user).toMatchObject({ phone: digits(phone), user_metadata: { a: 1 } })
    expect((await auth.client().signInWithPassword({ phone, password: '' })).error).not.toBeNull()
  })

  test('is not opened by a code when it is not to be, or where signing up is off', async () => {
    const phone = newPhone()
    const { error } = await auth.client().signInWithOtp({ phone, options: { shouldCreateUser: false } })
    expect(error).toMatchObject({ status: 422, code: 'otp_disabled' })
    await using closed = await createTestAuth({ signUp: false }, auth.database, { sms: { kind: 'inbox' } })
    expect((await closed.client().signInWithOtp({ phone })).error!.code).toBe('signup_disabled')
    expect(await auth.mailTo(phone)).toEqual([])
  })

  test('that is confirmed is hidden from who signs up with its number', async () => {
    const { phone, user } = await withPhone()
    const answer = await post('/signup', { phone, password: 'another one', data: { b: 2 } })
    expect(answer).toMatchObject({
      status: 200,
      body: {
        role: '',
        phone: digits(phone),
        email: '',
        identities: [],
        user_metadata: { b: 2 },
        app_metadata: { provider: 'phone', providers: ['phone'] },
      },
    })
    expect(answer.body['id']).not.toBe(user.id)
    expect(await auth.mailTo(phone)).toHaveLength(1)
    expect((await auth.client().signInWithPassword({ phone, password })).error).toBeNull()
  })

  test('that waits for its code is not changed by signing up again; a new code is sent', async () => {
    const phone = newPhone()
    const first = await post('/signup', { phone, password })
    expect(await post('/signup', { phone, password: 'other one' })).toMatchObject({
      status: 429,
      body: { code: 'over_sms_send_rate_limit' },
    })
    const old = await codeTo(phone)
    await later()
    const second = await post('/signup', { phone, password: 'other one' })
    expect(second.body['id']).toBe(first.body['id'])
    const code = await codeTo(phone)
    if (old !== code)
      expect((await auth.client().verifyOtp({ phone, token: old, type: 'sms' })).error!.code).toBe(
        'otp_expired',
      )
    expect((await auth.client().verifyOtp({ phone, token: code, type: 'sms' })).error).toBeNull()
    expect((await auth.client().signInWithPassword({ phone, password })).error).toBeNull()
  })

  test('opens at once where the operator wants no code; then an existing one is told', async () => {
    await using open = await createTestAuth({ phoneAutoconfirm: true }, auth.database, {
      sms: { kind: 'inbox' },
    })
    const phone = newPhone()
    const { data } = await open.client().signUp({ phone, password })
    expect(data.session!.user.phone_confirmed_at).toBeTruthy()
    expect(await auth.mailTo(phone)).toEqual([])
    const again = await open.client().signUp({ phone, password })
    expect(again.error).toMatchObject({ status: 422, code: 'user_already_exists' })
    const known = await auth.signedIn()
    expect((await open.client().signUp({ email: known.email, password })).error!.code).toBe(
      'user_already_exists',
    )
    const settings = await open.call('GET', '/settings')
    expect(settings.body).toMatchObject({
      external: { phone: true },
      phone_autoconfirm: true,
      sms_provider: 'inbox',
    })
  })
})

describe('a code on a phone', () => {
  test('is refused alike when wrong, expired, used, or for an unknown number', async () => {
    const phone = newPhone()
    await post('/otp', { phone })
    const code = await codeTo(phone)
    const wrong = code === '000000' ? '000001' : '000000'
    const refused = { status: 403, code: 'otp_expired', message: 'Token has expired or is invalid' }
    const verify = async (phone: string, token: string) =>
      (await auth.client().verifyOtp({ phone, token, type: 'sms' })).error
    expect(await verify(phone, wrong)).toMatchObject(refused)
    expect(await verify(newPhone(), code)).toMatchObject(refused)
    expect(await verify(phone, code)).toBeNull()
    expect(await verify(phone, code)).toMatchObject(refused)
    await later()
    await post('/otp', { phone })
    await sql`update auth_otp set expires_at = now() - interval '1 ms'`.execute(auth.database.kysely)
    expect(await verify(phone, await codeTo(phone))).toMatchObject(refused)
  })

  test('lives for a minute', async () => {
    const phone = newPhone()
    await post('/otp', { phone })
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from o.expires_at - o.sent_at)::float8 as seconds
      from auth_otp o join auth_user u on u.id = o.user_id where u.phone = ${digits(phone)}`.execute(
      auth.database.kysely,
    )
    expect(Math.round(rows[0]!.seconds)).toBe(60)
  })

  test('cannot be found in what the database holds, nor redeemed as a link', async () => {
    const phone = newPhone()
    await post('/otp', { phone })
    const code = await codeTo(phone)
    const { rows } = await sql<{ row: string; token_hash: string }>`
      select o::text as row, token_hash from auth_otp o join auth_user u on u.id = o.user_id
      where u.phone = ${digits(phone)}`.execute(auth.database.kysely)
    expect(rows[0]!.row).not.toContain(code)
    for (const type of ['sms', 'email', 'signup'] as const) {
      const body = { type, token_hash: rows[0]!.token_hash }
      expect((await post('/verify', body)).body['code']).toMatch(/otp_expired|validation_failed/)
    }
  })

  test('is worth nothing after ten wrong guesses', async () => {
    await using patient = await createTestAuth(
      { wrongCodes: { free: 1000, maxPauseSeconds: 1 } },
      auth.database,
      { sms: { kind: 'inbox' } },
    )
    const phone = newPhone()
    await post('/otp', { phone })
    const code = await codeTo(phone)
    const verify = (token: string) => patient.client().verifyOtp({ phone, token, type: 'sms' })
    for (let i = 0; i < 10; i++) await verify(`x${i}`)
    expect((await verify(code)).error!.code).toBe('otp_expired')
  })

  test('makes the next guess wait, longer each time, whether or not anybody has the number', async () => {
    for (const phone of [(await withPhone()).phone, newPhone()]) {
      const verify = (token: string) => post('/verify', { phone, token, type: 'sms' })
      const statuses: number[] = []
      for (let i = 0; i < 7; i++) statuses.push((await verify(`x${i}`)).status)
      expect(statuses).toEqual([403, 403, 403, 403, 403, 403, 429])
      expect((await verify('x')).body).toMatchObject({
        code: 'over_request_rate_limit',
        message: expect.stringMatching(/^Too many wrong codes\. Try again in \d+ seconds\.$/) as string,
      })
    }
  })

  test('that is newer does not forget the guesses at the older one; the right one does', async () => {
    const { phone } = await withPhone()
    const verify = async (token: string) => (await post('/verify', { phone, token, type: 'sms' })).status
    for (let i = 0; i < 5; i++) await verify(`x${i}`)
    await post('/otp', { phone })
    expect(await verify('x')).toBe(403)
    const code = await codeTo(phone)
    expect(await verify(code)).toBe(429)
    await sql`update auth_failure set locked_until = now() - interval '1 ms'`.execute(auth.database.kysely)
    expect(await verify(code)).toBe(200)
    expect(await verify('x')).toBe(403)
    expect(await verify('x')).toBe(403)
  })

  test('of a banned user does not sign in', async () => {
    const { phone, user } = await withPhone()
    await post('/otp', { phone })
    await sql`update auth_user set banned_until = now() + interval '1 hour' where id = ${user.id}`.execute(
      auth.database.kysely,
    )
    const { error } = await auth.client().verifyOtp({ phone, token: await codeTo(phone), type: 'sms' })
    expect(error).toMatchObject({ status: 403, code: 'user_banned' })
  })

  test.each([
    ['/verify', { type: 'signup', token: '1', phone: '+4915112345678' }, 'Invalid sms verification type'],
    ['/verify', { type: 'sms', token: '1', phone: 'x' }, 'Invalid phone number format (E.164 required)'],
    ['/otp', { phone: '+49 (151)' }, 'Invalid phone number format (E.164 required)'],
    ['/otp', { phone: '+0151' }, 'Invalid phone number format (E.164 required)'],
    [
      '/otp',
      { phone: '+4915112345678', channel: 'pigeon' },
      "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.",
    ],
    [
      '/signup',
      { phone: '+4915112345678', password, channel: 'whatsapp' },
      "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.",
    ],
    ['/resend', { type: 'sms', email: 'a@b.c' }, 'Type provided requires a phone number'],
    ['/resend', { type: 'phone_change' }, 'Missing email address or phone number'],
  ])('is refused: POST %s %j', async (path, body, message) => {
    expect(await post(path, body)).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', message },
    })
  })
})

describe('resending a code', () => {
  test('sends a new one to a phone that waits, at most once a minute', async () => {
    const phone = newPhone()
    const client = auth.client()
    await client.signUp({ phone, password })
    expect((await client.resend({ type: 'sms', phone })).error).toMatchObject({
      status: 429,
      code: 'over_sms_send_rate_limit',
    })
    await later()
    const { data, error } = await client.resend({ type: 'sms', phone })
    expect(error).toBeNull()
    const messages = await auth.mailTo(phone)
    expect(messages).toHaveLength(2)
    expect(data.messageId).toBe(messages[0]!.id)
    expect((await client.verifyOtp({ phone, token: await codeTo(phone), type: 'sms' })).error).toBeNull()
  })

  test('sends nothing to a confirmed or unknown phone, which wait the same', async () => {
    const { phone } = await withPhone()
    for (const each of [phone, newPhone()]) {
      const count = (await auth.mailTo(each)).length
      expect((await post('/resend', { type: 'sms', phone: each })).body).toEqual({})
      expect((await post('/resend', { type: 'sms', phone: each })).status).toBe(429)
      expect(await auth.mailTo(each)).toHaveLength(count)
    }
  })

  test('sends the code for a new phone again', async () => {
    const { phone, client } = await withPhone()
    const next = newPhone()
    await client.updateUser({ phone: next })
    expect((await client.resend({ type: 'phone_change', phone })).error!.status).toBe(429)
    await later()
    expect((await client.resend({ type: 'phone_change', phone })).error).toBeNull()
    expect(await auth.mailTo(next)).toHaveLength(2)
    const { error } = await client.verifyOtp({
      phone: next,
      token: await codeTo(next),
      type: 'phone_change',
    })
    expect(error).toBeNull()
    await later()
    expect((await post('/resend', { type: 'phone_change', phone: next })).body).toEqual({})
  })
})

describe('a new phone', () => {
  test('takes effect once its code was typed; the old one stays until then', async () => {
    const { phone, client } = await withPhone()
    const next = newPhone()
    const { data, error } = await client.updateUser({ phone: next })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({ phone: digits(phone), new_phone: digits(next) })
    expect((data.user as unknown as Record<string, unknown>)['phone_change_sent_at']).toBeTruthy()
    expect((await auth.client().signInWithPassword({ phone, password })).error).toBeNull()
    const verified = await client.verifyOtp({
      phone: next,
      token: await codeTo(next),
      type: 'phone_change',
    })
    expect(verified.error).toBeNull()
    expect(verified.data.user).toMatchObject({
      phone: digits(next),
      identities: [{ provider: 'phone', identity_data: { phone: digits(next), phone_verified: true } }],
    })
    expect(verified.data.user).not.toHaveProperty('new_phone')
    expect((await auth.client().signInWithPassword({ phone: next, password })).error).toBeNull()
    expect((await auth.client().signInWithPassword({ phone, password })).error!.code).toBe(
      'invalid_credentials',
    )
  })

  test('is a second way in for who has an address, and they are told by mail', async () => {
    const { client, email } = await auth.signedIn()
    const phone = newPhone()
    await client.updateUser({ phone, data: { a: 1 } })
    const { data } = await client.verifyOtp({ phone, token: await codeTo(phone), type: 'phone_change' })
    expect(data.user).toMatchObject({
      email,
      phone: digits(phone),
      user_metadata: { a: 1, phone_verified: true, email_verified: true },
      app_metadata: { provider: 'email', providers: ['email', 'phone'] },
    })
    expect(data.user!.identities!.map(each => each.provider)).toEqual(['email', 'phone'])
    const [letter] = await auth.mailTo(email)
    expect(letter!.subject).toBe('Your Ingot account has a new phone number')
    expect(letter!.text).toContain(phone)
    expect((await auth.client().signInWithPassword({ phone, password })).error).toBeNull()
  })

  test('belongs to one account only: told at once, and again when it is confirmed', async () => {
    const theirs = await withPhone()
    const mine = await auth.signedIn()
    const taken = {
      status: 422,
      code: 'phone_exists',
      message: 'A user with this phone number has already been registered',
    }
    expect((await mine.client.updateUser({ phone: theirs.phone })).error).toMatchObject(taken)
    const phone = newPhone()
    await mine.client.updateUser({ phone })
    const code = await codeTo(phone)
    await sql`update auth_user set phone = ${digits(phone)} where id = ${theirs.user.id}`.execute(
      auth.database.kysely,
    )
    const late = await mine.client.verifyOtp({ phone, token: code, type: 'phone_change' })
    expect(late.error).toMatchObject(taken)
  })

  test('that is the present one is nothing new; one that is none is refused', async () => {
    const { phone, token } = await withPhone()
    const put = (body: object) => auth.call('PUT', '/user', { token, headers: apiVersion, body })
    expect((await put({ phone })).body).not.toHaveProperty('new_phone')
    expect(await put({ phone: 'x' })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', message: 'Invalid phone number format (E.164 required)' },
    })
    expect(await put({ phone: newPhone(), channel: 'x' })).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    })
  })

  test('takes effect at once where the operator wants no code', async () => {
    await using open = await createTestAuth({ phoneAutoconfirm: true }, auth.database, {
      sms: { kind: 'inbox' },
    })
    const { client } = await open.signedIn()
    const phone = newPhone()
    const { data } = await client.updateUser({ phone })
    expect(data.user!.phone).toBe(digits(phone))
    expect(await auth.mailTo(phone)).toEqual([])
  })

  test('and an address: who has only a phone can add one, which needs its own link alone', async () => {
    const { client, phone } = await withPhone()
    const email = newEmail()
    await client.updateUser({ email })
    const { location } = await auth.follow((await auth.linksTo(email))[0]!)
    expect(location.hash).toContain('access_token=')
    const { data } = await client.getUser()
    expect(data.user).toMatchObject({
      email,
      phone: digits(phone),
      app_metadata: { providers: ['phone', 'email'] },
    })
    expect((await auth.client().signInWithPassword({ email, password })).error).toBeNull()
  })
})

test('all messages together are limited, and a refused one leaves nothing behind', async () => {
  await using thrifty = await createTestAuth({ sms: { burst: 1, perSecond: 0.0001 } }, auth.database, {
    sms: { kind: 'inbox' },
  })
  await sql`delete from auth_bucket where key = 'sms'`.execute(auth.database.kysely)
  expect((await thrifty.client().signInWithOtp({ phone: newPhone() })).error).toBeNull()
  const phone = newPhone()
  const { error } = await thrifty.client().signInWithOtp({ phone })
  expect(error).toMatchObject({
    status: 429,
    code: 'over_sms_send_rate_limit',
    message: 'SMS rate limit exceeded',
  })
  await sql`delete from auth_bucket where key = 'sms'`.execute(auth.database.kysely)
  expect((await thrifty.client().signInWithOtp({ phone })).error).toBeNull()
  await sql`delete from auth_bucket where key = 'sms'`.execute(auth.database.kysely)
})

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return new URLSearchParams(Buffer.concat(parts).toString())
}

describe('a provider that takes messages over HTTP', () => {
  let provider: Server
  let provided: TestAuth
  const taken: { url: string; authorization: string | undefined; form: URLSearchParams }[] = []
  let answer = { status: 201, body: { sid: 'SM1', status: 'queued' } as object }

  beforeAll(async () => {
    provider = createServer((request, response) => {
      void readForm(request).then(form => {
        taken.push({ url: request.url!, authorization: request.headers.authorization, form })
        response.writeHead(answer.status, { 'content-type': 'application/json' })
        response.end(JSON.stringify(answer.body))
      })
    })
    await new Promise<void>(resolve => provider.listen(0, '127.0.0.1', resolve))
    const { port } = provider.address() as AddressInfo
    const { sms } = readConfig({
      INGOT_SMS_URL: `http://127.0.0.1:${port}/`,
      INGOT_SMS_ACCOUNT: 'AC1',
      INGOT_SMS_TOKEN: 'hush',
      INGOT_SMS_FROM: '+15550100',
    })
    provided = await createTestAuth({}, auth.database, { sms })
  })
  afterAll(async () => {
    await provided[Symbol.asyncDispose]()
    await new Promise(resolve => provider.close(resolve))
  })

  test('gets them as Twilio would, and its id is the answer’s', async () => {
    const { phone } = await withPhone()
    const { data, error } = await provided.client().signInWithOtp({ phone })
    expect(error).toBeNull()
    expect(data.messageId).toBe('SM1')
    const sent = taken.at(-1)!
    expect(sent.url).toBe('/2010-04-01/Accounts/AC1/Messages.json')
    expect(sent.authorization).toBe(`Basic ${Buffer.from('AC1:hush').toString('base64')}`)
    expect(Object.fromEntries(sent.form)).toEqual({
      To: phone,
      From: '+15550100',
      Body: expect.stringMatching(/^\d{6} is your Ingot code/) as string,
    })
    const token = /^\d{6}/.exec(sent.form.get('Body')!)![0]
    expect((await provided.client().verifyOtp({ phone, token, type: 'sms' })).error).toBeNull()
    expect((await provided.call('GET', '/settings')).body).toMatchObject({ sms_provider: 'twilio' })
  })

  test('carries other channels', async () => {
    const phone = newPhone()
    expect(
      (await provided.client().signInWithOtp({ phone, options: { channel: 'whatsapp' } })).error,
    ).toBeNull()
    expect(taken.at(-1)!.form.get('To')).toBe(`whatsapp:${phone}`)
    expect(taken.at(-1)!.form.get('From')).toBe('whatsapp:+15550100')
  })

  test.each([
    [400, { code: 21211, message: 'Invalid To number' }],
    [503, {}],
    [201, { sid: 'SM2', status: 'failed' }],
  ])(
    'that answers %i %j: told as such, nothing is written, and the next try need not wait',
    async (status, body) => {
      const phone = newPhone()
      const known = await withPhone()
      answer = { status, body }
      const failed = { status: 422, code: 'sms_send_failed' }
      expect((await provided.client().signUp({ phone, password })).error).toMatchObject(failed)
      expect((await provided.client().signInWithOtp({ phone })).error).toMatchObject(failed)
      const { client } = known
      const put = await provided.call('PUT', '/user', {
        token: known.token,
        headers: apiVersion,
        body: { phone, data: { touched: true } },
      })
      expect(put).toMatchObject({ status: 422, body: { code: 'sms_send_failed' } })
      expect((await client.getUser()).data.user!.user_metadata).not.toHaveProperty('touched')
      const { rows } =
        await sql`select 1 from auth_user where phone = ${digits(phone)} or new_phone = ${digits(phone)}`.execute(
          auth.database.kysely,
        )
      expect(rows).toEqual([])
      answer = { status: 201, body: { sid: 'SM3', status: 'queued' } }
      expect((await provided.client().signUp({ phone, password })).error).toBeNull()
    },
  )

  test('that cannot be reached is the same refusal', async () => {
    await using lost = await createTestAuth({}, auth.database, {
      sms: { kind: 'twilio', url: 'http://127.0.0.1:1', account: 'AC1', token: 'hush', from: 'MG1' },
    })
    const { error } = await lost.client().signInWithOtp({ phone: newPhone() })
    expect(error).toMatchObject({ status: 422, code: 'sms_send_failed' })
  })
})

describe('phones are offered', () => {
  const sms = (env: Record<string, string>) => readConfig(env).sms

  test('by the inbox of a test cloud, by a configured provider, or not at all', () => {
    expect(sms({})).toEqual({ kind: 'inbox' })
    expect(sms({ INGOT_HOST: '0.0.0.0' })).toBeNull()
    expect(sms({ INGOT_TRON_ENDPOINT: 'https://tron.example', INGOT_TRON_XPUB: 'xpub' })).toBeNull()
    const provider = {
      INGOT_SMS_URL: 'https://api.twilio.com/',
      INGOT_SMS_ACCOUNT: 'AC1',
      INGOT_SMS_TOKEN: 'hush',
      INGOT_SMS_FROM: '+15550100',
    }
    expect(sms({ ...provider, INGOT_HOST: '0.0.0.0' })).toEqual({
      kind: 'twilio',
      url: 'https://api.twilio.com',
      account: 'AC1',
      token: 'hush',
      from: '+15550100',
    })
    expect(() => sms({ ...provider, INGOT_SMS_TOKEN: '' })).toThrow(/INGOT_SMS_TOKEN/)
    expect(() => sms({ ...provider, INGOT_SMS_URL: 'http://api.twilio.com' })).toThrow(/https/)
  })
})

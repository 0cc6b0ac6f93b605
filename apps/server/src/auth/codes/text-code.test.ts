import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { createTestAuth, newPhone } from '../testing/auth-server.ts'
import { digits, inbox, password, useTestPhones } from '../testing/phones.ts'

const { auth, post, later, codeTo, withPhone } = useTestPhones()

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
      inbox,
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

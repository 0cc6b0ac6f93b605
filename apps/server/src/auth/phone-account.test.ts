import { describe, expect, test } from 'vitest'
import { createTestAuth, newPhone } from './testing/auth-server.ts'
import { digits, inbox, password, useTestPhones } from './testing/phones.ts'

const { auth, post, later, codeTo, withPhone } = useTestPhones()

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
    await using closed = await createTestAuth({ signUp: false }, auth.database, inbox)
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
    expect((await auth.client().signInWithPassword({ phone, password })).error).not.toBeNull()
    expect((await auth.client().signInWithPassword({ phone, password: 'other one' })).error).toBeNull()
  })

  test('opens at once where the operator wants no code; then an existing one is told', async () => {
    await using open = await createTestAuth({ phoneAutoconfirm: true }, auth.database, inbox)
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

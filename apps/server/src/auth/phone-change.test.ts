import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { apiVersion, createTestAuth, newEmail, newPhone } from './testing/auth-server.ts'
import { digits, inbox, password, useTestPhones } from './testing/phones.ts'

const { auth, codeTo, withPhone } = useTestPhones()

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
    await using open = await createTestAuth({ phoneAutoconfirm: true }, auth.database, inbox)
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

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiVersion, createTestAuth, newPhone, type TestAuth } from '../testing/auth-server.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await createTestAuth({ securePasswordChange: true }, undefined, { sms: { kind: 'inbox' } })
})
afterAll(() => auth[Symbol.asyncDispose]())

const next = 'battery staple'
const change = (token: string, body: object) =>
  auth.call('PUT', '/user', { token, headers: apiVersion, body: { password: next, ...body } })
const ageSessions = (id: string) =>
  sql`update auth_session set created_at = now() - interval '25 hours' where user_id = ${id}`.execute(
    auth.database.kysely,
  )
const nonceTo = async (recipient: string) =>
  /^\d{6}$/m.exec((await auth.mailTo(recipient))[0]!.text)?.[0] ?? ''

async function longSignedIn() {
  const user = await auth.signedIn()
  await ageSessions(user.id)
  return user
}

describe('a change of password in an old session', () => {
  test('asks for a mailed code, which works once', async () => {
    const { client, token, email } = await longSignedIn()
    expect(await change(token, {})).toMatchObject({
      status: 400,
      body: { code: 'reauthentication_needed', message: 'Password update requires reauthentication' },
    })
    expect((await client.reauthenticate()).error).toBeNull()
    const [letter] = await auth.mailTo(email)
    expect(letter!.subject).toMatch(/^\d{6} is your Ingot code$/)
    expect(letter!.links).toEqual([])
    const nonce = await nonceTo(email)
    expect((await client.updateUser({ password: next, nonce })).error).toBeNull()
    expect(await change(token, { password: 'another staple', nonce })).toMatchObject({
      status: 422,
      body: { code: 'reauthentication_not_valid', message: 'Nonce has expired or is invalid' },
    })
    expect((await auth.client().signInWithPassword({ email, password: next })).error).toBeNull()
    expect((await client.getUser()).data.user).toHaveProperty('reauthentication_sent_at')
  })

  test('does not use the code up when the new password is refused', async () => {
    const { client, token, email, password } = await longSignedIn()
    await client.reauthenticate()
    const nonce = await nonceTo(email)
    expect(await change(token, { password, nonce })).toMatchObject({ body: { code: 'same_password' } })
    expect((await change(token, { nonce })).status).toBe(200)
  })

  test('refuses wrong, expired and other people’s codes', async () => {
    const { client, token, email, id } = await longSignedIn()
    const other = await longSignedIn()
    await client.reauthenticate()
    const nonce = await nonceTo(email)
    const refused = { status: 422, body: { code: 'reauthentication_not_valid' } }
    expect(await change(token, { nonce: 'x' })).toMatchObject(refused)
    expect(await change(other.token, { nonce })).toMatchObject(refused)
    await sql`update auth_otp set expires_at = now() - interval '1 ms' where user_id = ${id}`.execute(
      auth.database.kysely,
    )
    expect(await change(token, { nonce })).toMatchObject(refused)
  })

  test('makes the next guess wait after a few wrong ones', async () => {
    const { client, token, email } = await longSignedIn()
    await client.reauthenticate()
    const statuses: number[] = []
    for (let i = 0; i < 7; i++) statuses.push((await change(token, { nonce: `x${i}` })).status)
    expect(statuses).toEqual([422, 422, 422, 422, 422, 422, 429])
    const nonce = await nonceTo(email)
    expect((await change(token, { nonce })).status).toBe(429)
    await sql`update auth_failure set locked_until = now() - interval '1 ms'`.execute(auth.database.kysely)
    expect((await change(token, { nonce })).status).toBe(200)
  })

  test('uses up the code after ten wrong guesses', async () => {
    const { client, token, email } = await longSignedIn()
    await client.reauthenticate()
    const nonce = await nonceTo(email)
    for (let i = 0; i < 10; i++) {
      await sql`update auth_failure set locked_until = null`.execute(auth.database.kysely)
      await change(token, { nonce: `x${i}` })
    }
    await sql`delete from auth_failure`.execute(auth.database.kysely)
    expect((await change(token, { nonce })).status).toBe(422)
  })

  test('is not asked for in a young session, for other changes, or where the operator does not want it', async () => {
    const young = await auth.signedIn()
    expect((await change(young.token, {})).status).toBe(200)
    const old = await longSignedIn()
    expect((await old.client.updateUser({ data: { a: 1 } })).error).toBeNull()
    await using plain = await createTestAuth({}, auth.database)
    const answer = await plain.call('PUT', '/user', { token: old.token, body: { password: next } })
    expect(answer.status).toBe(200)
  })
})

describe('the code', () => {
  test('is sent at most once a minute; a newer one replaces the older', async () => {
    const { client, token, email, id } = await longSignedIn()
    await client.reauthenticate()
    expect((await client.reauthenticate()).error).toMatchObject({
      status: 429,
      code: 'over_email_send_rate_limit',
    })
    const old = await nonceTo(email)
    await sql`update auth_user set reauthentication_sent_at = null where id = ${id}`.execute(
      auth.database.kysely,
    )
    await client.reauthenticate()
    const nonce = await nonceTo(email)
    if (nonce !== old) expect((await change(token, { nonce: old })).status).toBe(422)
    expect((await change(token, { nonce })).status).toBe(200)
  })

  test('goes to the phone of who has no address', async () => {
    const phone = newPhone()
    const client = auth.client()
    await client.signUp({ phone, password: 'correct horse' })
    const code = async () => /^\d{6}/.exec((await auth.mailTo(phone))[0]!.text)![0]
    const { data } = await client.verifyOtp({ phone, token: await code(), type: 'sms' })
    await ageSessions(data.user!.id)
    await sql`delete from auth_sending`.execute(auth.database.kysely)
    const token = data.session!.access_token
    const answer = await auth.call('GET', '/reauthenticate', { token })
    expect(answer.body['message_id']).toBe((await auth.mailTo(phone))[0]!.id)
    expect((await change(token, { nonce: await code() })).status).toBe(200)
  })

  test('is not sent to an address or phone that is not confirmed, or to nobody', async () => {
    const { token, id } = await auth.signedIn()
    const ask = () => auth.call('GET', '/reauthenticate', { token, headers: apiVersion })
    const db = auth.database.kysely
    await sql`update auth_user set email_confirmed_at = null where id = ${id}`.execute(db)
    expect(await ask()).toMatchObject({
      status: 422,
      body: { code: 'email_not_confirmed', message: 'Please verify your email first.' },
    })
    await sql`update auth_user set email = null, phone = '49151' where id = ${id}`.execute(db)
    expect(await ask()).toMatchObject({
      status: 422,
      body: { code: 'phone_not_confirmed', message: 'Please verify your phone first.' },
    })
    await sql`update auth_user set phone = null where id = ${id}`.execute(db)
    expect(await ask()).toMatchObject({
      status: 400,
      body: {
        code: 'validation_failed',
        message: 'Reauthentication requires the user to have an email or a phone number',
      },
    })
    expect((await auth.call('GET', '/reauthenticate', { headers: apiVersion })).status).toBe(401)
  })
})

import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { apiVersion, createTestAuth, newEmail, newPhone, useTestAuth } from './testing/auth-server.ts'

const auth = useTestAuth(() =>
  createTestAuth(
    {
      wrongPasswords: { free: 3, maxPauseSeconds: 60 },
      wrongCodes: { free: 3, maxPauseSeconds: 60 },
      requireCurrentPassword: true,
      maxOtpFailures: 10,
      smsSpacingSeconds: 60,
      mailSpacingSeconds: 0,
    },
    undefined,
    { sms: { kind: 'inbox' } },
  ),
)
const password = 'correct horse'
const home = { 'x-forwarded-for': '198.51.100.7' }
const elsewhere = { 'x-forwarded-for': '203.0.113.66' }
const laptop = { 'x-ingot-device': 'a'.repeat(32) }

const signIn = (email: string, secret: string, from: Record<string, string>) =>
  auth.call('POST', '/token?grant_type=password', {
    headers: { ...apiVersion, ...from },
    body: { email, password: secret },
  })
const guess = async (email: string, times: number, from: Record<string, string>) => {
  for (let n = 0; n < times; n++) await signIn(email, `wrong horse ${n}`, from)
}

describe('wrong passwords from elsewhere', () => {
  test('lock strangers out, not the owner on a network where they signed in before', async () => {
    const { email } = await auth.signedIn()
    expect((await signIn(email, password, home)).status).toBe(200)
    await guess(email, 12, elsewhere)
    expect((await signIn(email, password, elsewhere)).status).toBe(429)
    expect((await signIn(email, password, home)).status).toBe(200)
    // The right password from home does not unlock it for the stranger.
    expect((await signIn(email, password, elsewhere)).status).toBe(429)
  })

  test('nor in a browser where they signed in before, wherever it is now', async () => {
    const { email } = await auth.signedIn()
    expect((await signIn(email, password, { ...home, ...laptop })).status).toBe(200)
    await guess(email, 12, elsewhere)
    const other = { ...elsewhere, 'x-ingot-device': 'b'.repeat(32) }
    expect((await signIn(email, password, other)).status).toBe(429)
    expect((await signIn(email, password, { ...elsewhere, ...laptop })).status).toBe(200)
  })

  test('are limited from the owner’s places too, and a place of one user is no place of another', async () => {
    const [{ email }, other] = [await auth.signedIn(), await auth.signedIn()]
    expect((await signIn(email, password, home)).status).toBe(200)
    expect((await signIn(other.email, password, elsewhere)).status).toBe(200)
    await guess(email, 4, home)
    expect((await signIn(email, password, home)).status).toBe(429)
    await guess(email, 4, elsewhere)
    expect((await signIn(email, password, elsewhere)).status).toBe(429)
  })

  test('count alike for an address that nobody has', async () => {
    const email = newEmail()
    await guess(email, 4, home)
    expect((await signIn(email, password, home)).status).toBe(429)
    expect((await signIn(email, password, elsewhere)).status).toBe(429)
  })
})

test('where somebody signed in is kept as a network and the hash of a browser’s number, and forgotten 90 days later', async () => {
  const { email, id } = await auth.signedIn()
  await signIn(email, password, { ...home, ...laptop })
  const db = auth.database.kysely
  const places = async () =>
    (
      await sql<{ place: string }>`select place from auth_place where user_id = ${id} order by place`.execute(
        db,
      )
    ).rows
  const hash = createHash('sha256').update(laptop['x-ingot-device']).digest('base64url')
  expect(await places()).toContainEqual({ place: `device:${hash}` })
  expect(await places()).toContainEqual({ place: `network:${home['x-forwarded-for']}` })
  expect(JSON.stringify(await places())).not.toContain(laptop['x-ingot-device'])
  await sql`select auth_sweep()`.execute(db)
  expect((await places()).length).toBeGreaterThanOrEqual(2)
  await sql`update auth_place set seen_at = now() - interval '91 days' where user_id = ${id}`.execute(db)
  await sql`select auth_sweep()`.execute(db)
  expect(await places()).toEqual([])
})

describe('a wrong present password', () => {
  const change = (token: string, current_password: string, from = home) =>
    auth.call('PUT', '/user', {
      token,
      headers: { ...apiVersion, ...from },
      body: { password: 'battery staple', current_password },
    })

  test('counts like a wrong sign-in: after a few the right one waits as well', async () => {
    const { email } = await auth.signedIn()
    const { body } = await signIn(email, password, home)
    const token = String(body['access_token'])
    for (let n = 0; n < 4; n++)
      expect(await change(token, `wrong ${n}`)).toMatchObject({
        status: 400,
        body: { code: 'current_password_invalid' },
      })
    expect(await change(token, password)).toMatchObject({
      status: 429,
      body: { code: 'over_request_rate_limit' },
    })
    expect((await signIn(email, password, home)).status).toBe(429)
  })

  test('is not made to wait by guesses from elsewhere', async () => {
    const { email } = await auth.signedIn()
    const { body } = await signIn(email, password, home)
    await guess(email, 12, elsewhere)
    expect((await change(String(body['access_token']), password)).status).toBe(200)
  })
})

describe('codes that others type', () => {
  const verify = (body: object, from: Record<string, string>) =>
    auth.call('POST', '/verify', { headers: { ...apiVersion, ...from }, body })

  test('ten wrong ones do not end a mailed link', async () => {
    const email = newEmail()
    await auth.client().signUp({ email, password })
    for (let n = 0; n < 12; n++)
      expect((await verify({ type: 'signup', email, token: '000000' }, elsewhere)).status).toBe(403)
    const [link] = await auth.linksTo(email)
    expect((await auth.follow(link!)).location.hash).toContain('access_token=')
  })

  const codeSentTo = async (phone: string) => /^\d{6}/.exec((await auth.mailTo(`+${phone}`))[0]!.text)![0]
  const ask = (phone: string, from: Record<string, string>) =>
    auth.call('POST', '/otp', { headers: { ...apiVersion, ...from }, body: { phone } })

  test('do not lock a number for whoever asked for the code', async () => {
    const phone = newPhone().slice(1)
    expect((await ask(phone, home)).status).toBe(200)
    const token = await codeSentTo(phone)
    const wrong = token === '000000' ? '000001' : '000000'
    for (let n = 0; n < 12; n++) await verify({ type: 'sms', phone, token: wrong }, elsewhere)
    expect((await verify({ type: 'sms', phone, token }, elsewhere)).status).toBe(429)
    expect((await verify({ type: 'sms', phone, token }, home)).status).toBe(200)
  })

  test('do not lock it for its user at home, even when a stranger asked for the code', async () => {
    const phone = newPhone().slice(1)
    await ask(phone, home)
    await verify({ type: 'sms', phone, token: await codeSentTo(phone) }, home)
    await auth.database.kysely.deleteFrom('auth_sending').execute()
    await ask(phone, elsewhere)
    const token = await codeSentTo(phone)
    const wrong = token === '000000' ? '000001' : '000000'
    for (let n = 0; n < 12; n++) await verify({ type: 'sms', phone, token: wrong }, elsewhere)
    expect((await verify({ type: 'sms', phone, token }, elsewhere)).status).toBe(429)
    expect((await verify({ type: 'sms', phone, token }, home)).status).toBe(200)
  })

  test('from where the code was asked for are limited as well', async () => {
    const phone = newPhone().slice(1)
    await ask(phone, home)
    const token = await codeSentTo(phone)
    const wrong = token === '000000' ? '000001' : '000000'
    for (let n = 0; n < 4; n++) await verify({ type: 'sms', phone, token: wrong }, home)
    expect((await verify({ type: 'sms', phone, token }, home)).status).toBe(429)
  })

  test('from where it was asked for are limited whatever device is named', async () => {
    const phone = newPhone().slice(1)
    const named = (n: number) => ({ ...elsewhere, 'x-ingot-device': String(n).repeat(32) })
    for (let n = 0; n < 4; n++) {
      await auth.database.kysely.deleteFrom('auth_sending').execute()
      await ask(phone, named(n))
      const token = await codeSentTo(phone)
      await verify({ type: 'sms', phone, token: token === '000000' ? '000001' : '000000' }, named(n))
    }
    await auth.database.kysely.deleteFrom('auth_sending').execute()
    await ask(phone, named(5))
    expect((await verify({ type: 'sms', phone, token: await codeSentTo(phone) }, named(5))).status).toBe(429)
  })

  test('are a stranger’s where somebody only asked to have the number', async () => {
    const phone = newPhone().slice(1)
    const { email } = await auth.signedIn()
    const { body } = await signIn(email, password, elsewhere)
    const token = String(body['access_token'])
    expect((await auth.call('PUT', '/user', { token, headers: elsewhere, body: { phone } })).status).toBe(200)
    await auth.database.kysely.deleteFrom('auth_sending').execute()
    await ask(phone, home)
    const code = await codeSentTo(phone)
    const wrong = code === '000000' ? '000001' : '000000'
    const third = { 'x-forwarded-for': '203.0.113.99' }
    for (let n = 0; n < 4; n++) await verify({ type: 'sms', phone, token: wrong }, third)
    expect((await verify({ type: 'sms', phone, token: code }, elsewhere)).status).toBe(429)
    expect((await verify({ type: 'sms', phone, token: code }, home)).status).toBe(200)
  })

  test.each([
    ['/resend', { type: 'phone_change' }],
    ['/resend', { type: 'sms' }],
    ['/signup', { password }],
  ])('and %s with %j for a number of somebody else’s takes no slot from them', async (path, body) => {
    const phone = newPhone().slice(1)
    await ask(phone, home)
    await verify({ type: 'sms', phone, token: await codeSentTo(phone) }, home)
    await auth.database.kysely.deleteFrom('auth_sending').execute()
    const asked = () =>
      auth.call('POST', path, { headers: { ...apiVersion, ...elsewhere }, body: { phone, ...body } })
    expect((await asked()).status).toBe(200)
    expect((await ask(phone, home)).status).toBe(200)
    // Strangers wait as long for the next one as for a number that nobody has.
    expect((await asked()).status).toBe(429)
  })
})

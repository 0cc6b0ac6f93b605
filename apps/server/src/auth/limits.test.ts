import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../db/test-database.ts'
import { createVault } from '../vault.ts'
import { ensureFirstAdmin } from './ensure-first-admin.ts'
import { addressKey } from './addresses.ts'
import { networkOf } from './limits.ts'
import { forgetWrongPasswords } from './lockouts.ts'
import { defaultSettings } from './settings.ts'
import { apiVersion, createTestAuth, newEmail, type TestAuth } from './testing/auth-server.ts'
import { startUpkeep } from './upkeep.ts'

const password = 'correct horse'
const overLimit = {
  status: 429,
  body: { code: 'over_request_rate_limit', message: 'Request rate limit reached' },
}

const tight = { burst: 3, perSecond: 0.001 }
let auth: TestAuth
beforeAll(async () => {
  auth = await createTestAuth({
    buckets: {
      ...defaultSettings({ loopback: true }).buckets,
      signup: tight,
      otp: tight,
      recover: tight,
      resend: tight,
      user: tight,
      verify: tight,
      token: tight,
    },
  })
})
afterAll(() => auth[Symbol.asyncDispose]())

async function statuses(work: () => Promise<{ status: number }>): Promise<number[]> {
  const answers: number[] = []
  for (let i = 0; i < 5; i++) answers.push((await work()).status)
  return answers
}

describe('requests of one IP', () => {
  test.each([
    ['/signup', { email: 'nonsense', password }],
    ['/otp', {}],
    ['/recover', {}],
    ['/resend', {}],
    ['/verify', {}],
    ['/token?grant_type=password', {}],
    ['/token?grant_type=refresh_token', {}],
    ['/token?grant_type=pkce', {}],
  ])('are limited per route, and other IPs are not touched: POST %s', async (path, body) => {
    const ip = '198.51.100.1'
    const post = (from: string) =>
      auth.call('POST', path, { headers: { ...apiVersion, 'x-forwarded-for': from }, body })
    await sql`delete from auth_bucket`.execute(auth.database.kysely)
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(ip)))
    expect(answers.filter(answer => answer.status === 429)).toHaveLength(5)
    expect(await post(ip)).toMatchObject(overLimit)
    expect((await post('198.51.100.254')).status).toBe(400)
    await sql`update auth_bucket set refilled_at = refilled_at - interval '1001 seconds'`.execute(
      auth.database.kysely,
    )
    expect((await post(ip)).status).toBe(400)
    expect(await post(ip)).toMatchObject(overLimit)
  })

  test('are limited for links and for the signed-in user’s changes too, each on its own', async () => {
    await sql`delete from auth_bucket`.execute(auth.database.kysely)
    const { token } = await auth.signedIn()
    expect(await statuses(() => auth.call('PUT', '/user', { token, body: {} }))).toEqual([
      200, 200, 200, 429, 429,
    ])
    // The user's own link took one.
    expect(await statuses(() => auth.call('GET', '/verify?type=signup&token=x'))).toEqual([
      303, 303, 429, 429, 429,
    ])
    expect((await auth.call('GET', '/user', { token })).status).toBe(200)
  })

  test('are the contract’s numbers on a public listener and ten times that on loopback', () => {
    const { buckets } = defaultSettings({ loopback: false })
    expect(buckets.signup).toEqual({ burst: 30, perSecond: 0.1 })
    expect(buckets.token).toEqual({ burst: 30, perSecond: 0.5 })
    expect(defaultSettings({ loopback: true }).buckets.signup).toEqual({ burst: 300, perSecond: 1 })
  })

  test('count by network in IPv6, and whatever is no address counts together', () => {
    expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
    expect(networkOf('2001:db8:1:2::9')).toBe('2001:db8:1:2::/64')
    expect(networkOf('2001:0DB8:0001:0002::9')).toBe('2001:db8:1:2::/64')
    expect(networkOf('::1')).toBe('0:0:0:0::/64')
    expect(networkOf('::ffff:192.0.2.1')).toBe('192.0.2.1')
    expect(networkOf(null)).toBe('unknown')
  })

  test('with a forwarded address that is none are served', async () => {
    await sql`delete from auth_bucket`.execute(auth.database.kysely)
    const { email } = await auth.signedIn()
    for (const ip of ['unknown', 'fe80::1%eth0', "1.2.3.4:5'"]) {
      const headers = { 'x-forwarded-for': ip }
      const answer = await auth.call('POST', '/token?grant_type=password', {
        headers,
        body: { email, password },
      })
      expect(answer.status).toBe(200)
    }
  })
})

describe('wrong passwords', () => {
  test('make the next try wait, longer each time; the right one waits too, then all is forgotten', async () => {
    await using lenient = await createTestAuth(
      { wrongPasswords: { free: 3, maxPauseSeconds: 40 } },
      auth.database,
    )
    const { email } = await lenient.signedIn()
    const signIn = (password: string) =>
      lenient.call('POST', '/token?grant_type=password', { headers: apiVersion, body: { email, password } })
    for (let i = 0; i < 4; i++) expect((await signIn('wrong horse')).status).toBe(400)
    const locked = await signIn(password)
    expect(locked).toMatchObject({ status: 429, body: { code: 'over_request_rate_limit' } })
    expect(locked.body['message']).toMatch(
      /^Too many wrong passwords for this address\. Try again in \d+ seconds\.$/,
    )
    const seconds: number[] = []
    for (let i = 0; i < 7; i++) {
      await sql`update auth_failure set locked_until = now() - interval '1 ms'`.execute(auth.database.kysely)
      expect((await signIn('wrong horse')).status).toBe(400)
      const { rows } = await sql<{ seconds: number }>`
        select extract(epoch from locked_until - failed_at)::float8 as seconds from auth_failure`.execute(
        auth.database.kysely,
      )
      seconds.push(Math.round(rows[0]!.seconds))
    }
    expect(seconds).toEqual([2, 4, 8, 16, 32, 40, 40])
    await sql`update auth_failure set locked_until = now() - interval '1 ms'`.execute(auth.database.kysely)
    expect((await signIn(password)).status).toBe(200)
    expect((await sql`select 1 from auth_failure`.execute(auth.database.kysely)).rows).toEqual([])
  })

  test('sent all at once are not more guesses: the right one among them is not told apart', async () => {
    await using strict = await createTestAuth(
      { wrongPasswords: { free: 2, maxPauseSeconds: 40 } },
      auth.database,
    )
    const { email } = await strict.signedIn()
    const signIn = (password: string) =>
      strict.call('POST', '/token?grant_type=password', { body: { email, password } })
    await Promise.all(Array.from({ length: 12 }, (_, i) => signIn(`wrong horse ${i}`)))
    expect((await signIn(password)).status).toBe(429)
    // As for a right one whose hash was still being worked on when the wrong ones locked the address.
    const services = { database: auth.database, settings: defaultSettings({ loopback: true }) }
    const key = `${addressKey(email)}@network:127.0.0.1`
    await expect(forgetWrongPasswords(services, key)).rejects.toMatchObject({ status: 429 })
    expect((await signIn(password)).status).toBe(429)
  })

  test('lock an address without an account in the same way', async () => {
    await using strict = await createTestAuth(
      { wrongPasswords: { free: 2, maxPauseSeconds: 40 } },
      auth.database,
    )
    const email = newEmail()
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) {
      const body = { email: i % 2 ? email.toUpperCase() : email, password }
      statuses.push((await strict.call('POST', '/token?grant_type=password', { body })).status)
    }
    expect(statuses).toEqual([400, 400, 400, 429])
  })

  test('are counted for days, not for ever, and swept away', async () => {
    await using database = await createTestDatabase()
    const db = database.kysely
    const note = () => sql`select auth_note_failure('k', 1, 300)`.execute(db)
    await note()
    await note()
    await sql`select auth_take_token('b', 5, 1)`.execute(db)
    await sql`update auth_failure set failed_at = now() - interval '25 hours', locked_until = null`.execute(
      db,
    )
    await note()
    expect((await sql<{ count: number }>`select count from auth_failure`.execute(db)).rows).toEqual([
      { count: 1 },
    ])
    await sql`update auth_failure set failed_at = now() - interval '25 hours'`.execute(db)
    await sql`update auth_bucket set refilled_at = now() - interval '25 hours'`.execute(db)
    const vault = createVault('test')
    const log = pino({ level: 'silent' })
    // Its first round begins at once, and stopping waits for it.
    await startUpkeep({ database, vault, log, config: { signingKeyDays: 90 } }, 3600).stop()
    const left = await sql`select key from auth_failure union all select key from auth_bucket`.execute(db)
    expect(left.rows).toEqual([])
  })
})

test('mails of the whole service are limited where the operator wants that', async () => {
  await using thrifty = await createTestAuth({ mails: { burst: 2, perSecond: 0.001 } }, auth.database)
  const count = async () =>
    (await sql<{ count: bigint }>`select count(*) from auth_user`.execute(auth.database.kysely)).rows[0]!
      .count
  const before = await count()
  const signUp = () =>
    thrifty.call('POST', '/signup', { headers: apiVersion, body: { email: newEmail(), password } })
  const answers = [await signUp(), await signUp(), await signUp()]
  expect(answers.map(answer => answer.status)).toEqual([200, 200, 429])
  expect(answers[2]!.body).toEqual({
    code: 'over_email_send_rate_limit',
    message: 'email rate limit exceeded',
  })
  expect((await count()) - before).toBe(2n)
})

describe('the first administrator', () => {
  test('is made once on an empty database, however many processes start', async () => {
    await using empty = await createTestAuth()
    const made = (
      await Promise.all(Array.from({ length: 5 }, () => ensureFirstAdmin(empty.database)))
    ).filter(Boolean)
    expect(made).toHaveLength(1)
    expect(made[0]).toEqual({
      email: 'admin@ingot.local',
      password: expect.stringMatching(/^[A-Za-z2-9]{24}$/) as string,
    })
    const { data, error } = await empty.client().signInWithPassword(made[0]!)
    expect(error).toBeNull()
    const headers = { authorization: `Bearer ${data.session!.access_token}` }
    expect(await (await fetch(`${empty.origin}/v1/caller`, { headers })).json()).toMatchObject({
      role: 'admin',
    })
    expect(await ensureFirstAdmin(empty.database)).toBeNull()
  })

  test('is not made where anybody signed up before', async () => {
    await auth.client().signUp({ email: newEmail(), password })
    expect(await ensureFirstAdmin(auth.database)).toBeNull()
  })
})

import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evenly } from './even-answers.ts'
import { createTestAuth, newEmail, type TestAuth } from './testing/auth-server.ts'

const long = process.env['INGOT_LONG_TESTS'] !== undefined
/** Per kind of address. */
const tries = long ? 1_000 : 60
const lanes = 4
const timeoutMs = long ? 900_000 : 60_000

let auth: TestAuth
beforeAll(async () => {
  auth = await createTestAuth({ evenAnswerMs: 100, mailSpacingSeconds: 0 })
})
afterAll(() => auth[Symbol.asyncDispose]())

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

/** Medians over both kinds of address, taken in turns so that both see the same weather. */
async function measure(known: () => Promise<unknown>, unknown: () => Promise<unknown>) {
  const times: { known: number[]; unknown: number[] } = { known: [], unknown: [] }
  const time = async (into: number[], work: () => Promise<unknown>) => {
    const started = performance.now()
    await work()
    into.push(performance.now() - started)
  }
  await known()
  await unknown()
  let left = tries
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (left-- > 0) {
        await time(times.known, known)
        await time(times.unknown, unknown)
      }
    }),
  )
  return { known: median(times.known), unknown: median(times.unknown) }
}

/** Accounts enough that no two lanes wait for one. */
async function accounts(confirmed = true): Promise<() => string> {
  const made = Array.from({ length: lanes * 2 }, async () => {
    if (confirmed) return (await auth.signedIn()).email
    const email = newEmail()
    await auth.client().signUp({ email, password: 'correct horse' })
    return email
  })
  const emails = await Promise.all(made)
  let next = 0
  return () => emails[next++ % emails.length]!
}

describe(`over ${tries} tries the time does not tell whether an address has an account`, () => {
  const post = (path: string, body: object) => auth.call('POST', path, { body })

  test.each([
    ['/recover', {}],
    ['/otp', {}],
    ['/otp', { create_user: false }],
    ['/resend', { type: 'signup' }],
    ['/verify', { type: 'recovery', token: '1234567890' }],
  ])(
    'POST %s %j',
    async (path, fields) => {
      // Only who waits for a confirmation is sent another one.
      const known = await accounts(path !== '/resend')
      if (path === '/verify') for (let i = 0; i < lanes * 2; i++) await post('/recover', { email: known() })
      const medians = await measure(
        () => post(path, { email: known(), ...fields }),
        () => post(path, { email: newEmail(), ...fields }),
      )
      if (long) console.log(path, JSON.stringify(fields), medians)
      expect(medians.known / medians.unknown).toBeGreaterThan(long ? 0.97 : 0.85)
      expect(medians.known / medians.unknown).toBeLessThan(long ? 1.03 : 1.18)
    },
    timeoutMs,
  )

  test(
    'a wrong password',
    async () => {
      await using lenient = await createTestAuth(
        { wrongPasswords: { free: 1_000_000, maxPauseSeconds: 1 } },
        auth.database,
      )
      const known = await accounts()
      const signIn = (email: string) =>
        lenient.call('POST', '/token?grant_type=password', { body: { email, password: 'wrong horse' } })
      const medians = await measure(
        () => signIn(known()),
        () => signIn(newEmail()),
      )
      if (long) console.log('/token', medians)
      expect(medians.known / medians.unknown).toBeGreaterThan(long ? 0.95 : 0.75)
      expect(medians.known / medians.unknown).toBeLessThan(long ? 1.05 : 1.33)
    },
    timeoutMs,
  )
})

describe('an even answer', () => {
  test('comes no sooner than at a whole step, whatever the work took and however it ended', async () => {
    const took = async (workMs: number, fails: boolean) => {
      const started = performance.now()
      const work = async () => {
        await new Promise(resolve => setTimeout(resolve, workMs))
        if (fails) throw new Error('no')
        return 'yes'
      }
      await evenly(100, work).catch(() => {})
      return performance.now() - started
    }
    const times = await Promise.all([took(0, false), took(30, false), took(45, true)])
    // A timer may fire a millisecond early.
    for (const time of times) expect(time).toBeGreaterThan(98)
    expect(await took(110, false)).toBeGreaterThan(198)
    expect(await evenly(0, () => Promise.resolve('yes'))).toBe('yes')
    await expect(evenly(1, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  })
})

test('codes, pauses and counts that are over are swept away; a fresh one stays', async () => {
  const db = auth.database.kysely
  const [old, fresh] = [await auth.signedIn(), await auth.signedIn()]
  await sql`delete from auth_otp`.execute(db)
  await sql`delete from auth_sending`.execute(db)
  for (const { email } of [old, fresh]) await auth.client().resetPasswordForEmail(email)
  await sql`update auth_otp set expires_at = now() - interval '25 hours' where user_id = ${old.id}`.execute(
    db,
  )
  await sql`insert into auth_sending values (${randomBytes(4).toString('hex')}, now() - interval '25 hours')`.execute(
    db,
  )
  await sql`select auth_sweep()`.execute(db)
  const left = await sql<{ user_id: string }>`select user_id from auth_otp`.execute(db)
  expect(left.rows).toEqual([{ user_id: fresh.id }])
  expect((await sql`select 1 from auth_sending`.execute(db)).rows).toHaveLength(2)
})

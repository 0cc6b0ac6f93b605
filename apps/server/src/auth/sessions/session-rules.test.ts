import { AuthClient } from '@supabase/auth-js'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { callAs, codeOf, signedInAgain, withTotp } from '../testing/factors.ts'
import { parseRefreshToken } from './refresh-token.ts'
import { defaultSettings } from '../settings.ts'
import { createTestAuth, type SignedInClient, type TestAuth } from '../testing/auth-server.ts'

const { sessions: noRules } = defaultSettings({ loopback: true })
let auth: TestAuth
let ruled: TestAuth
beforeAll(async () => {
  auth = await createTestAuth()
  const sessions = { ...noRules, timeBoxSeconds: 3600, inactivitySeconds: 600, lowAalSeconds: 60 }
  ruled = await createTestAuth({ sessions }, auth.database)
})
afterAll(async () => {
  await ruled[Symbol.asyncDispose]()
  await auth[Symbol.asyncDispose]()
})

const idOf = ({ refreshToken }: SignedInClient) => parseRefreshToken(refreshToken)!.sessionId
/** As if so much time had passed for the session. */
const age = (user: SignedInClient, column: 'created_at' | 'last_active_at', seconds: number) =>
  sql`update auth_session set ${sql.ref(column)} = ${sql.ref(column)} - ${seconds} * interval '1 second'
    where id = ${idOf(user)}`.execute(auth.database.kysely)
const expired = (why = '') => ({
  status: 400,
  code: 'session_expired',
  message: `Invalid Refresh Token: Session Expired${why}`,
})
const v1 = async (at: TestAuth, token: string) => {
  const answer = await fetch(`${at.origin}/v1/caller`, { headers: { authorization: `Bearer ${token}` } })
  return { status: answer.status, ...((await answer.json()) as { role?: string }) }
}

describe('a session', () => {
  test('lasts as long as its time box, however active', async () => {
    const user = await ruled.signedIn()
    await age(user, 'created_at', 3590)
    expect((await user.client.refreshSession()).error).toBeNull()
    await age(user, 'created_at', 20)
    expect((await user.client.refreshSession()).error).toMatchObject(expired())
  })

  test('ends when it was not used for long', async () => {
    const user = await ruled.signedIn()
    await age(user, 'last_active_at', 590)
    expect((await user.client.refreshSession()).error).toBeNull()
    await age(user, 'last_active_at', 610)
    expect((await user.client.refreshSession()).error).toMatchObject(expired(' (Inactivity)'))
  })

  test('is used by calls of /v1 as well as by refreshing', async () => {
    const user = await ruled.signedIn()
    await age(user, 'last_active_at', 610)
    expect((await v1(ruled, user.token)).status).toBe(200)
    await expect.poll(async () => (await user.client.refreshSession()).error).toBeNull()
  })

  test('of a user with a second factor lasts shortly without it', async () => {
    const user = await withTotp(ruled)
    const weak = await signedInAgain(ruled, user)
    await age(user, 'created_at', 61)
    expect((await user.client.refreshSession()).error).toBeNull()
    expect((await weak.client.refreshSession()).error).toBeNull()
    await age(weak, 'created_at', 61)
    expect((await weak.client.refreshSession()).error).toMatchObject(
      expired(' (Low AAL: User Needs MFA Verification)'),
    )
    const without = await ruled.signedIn()
    await age(without, 'created_at', 61)
    expect((await without.client.refreshSession()).error).toBeNull()
  })

  test('has no end of its own where no rule says so', async () => {
    const user = await auth.signedIn()
    await age(user, 'created_at', 400 * 86_400)
    await age(user, 'last_active_at', 400 * 86_400)
    expect((await user.client.refreshSession()).error).toBeNull()
  })

  test('is the user’s only one where that is the rule: a newer one ends it at once', async () => {
    const sessions = { ...noRules, singlePerUser: true }
    await using single = await createTestAuth({ sessions }, auth.database)
    const bystander = await single.signedIn()
    const user = await single.signedIn()
    const newer = await signedInAgain(single, user)
    expect((await v1(single, user.token)).status).toBe(401)
    expect((await v1(single, newer.token)).status).toBe(200)
    expect(await callAs(single, user.token, 'GET', '/user')).toMatchObject({
      status: 403,
      body: { code: 'session_not_found' },
    })
    expect((await user.client.refreshSession()).error).toMatchObject(expired(' (Revoked by Newer Login)'))
    expect((await newer.client.refreshSession()).error).toBeNull()
    expect((await bystander.client.getUser()).error).toBeNull()
  })

  test('is the only one although many sign in at once', async () => {
    const sessions = { ...noRules, singlePerUser: true }
    await using single = await createTestAuth({ sessions }, auth.database)
    const user = await single.signedIn()
    const many = await Promise.all([0, 1, 2, 3, 4, 5].map(() => signedInAgain(single, user)))
    const statuses = await Promise.all(many.map(async each => (await v1(single, each.token)).status))
    expect(statuses.toSorted()).toEqual([200, 401, 401, 401, 401, 401])
  })

  test('notes its activity at most once a minute', async () => {
    const user = await auth.signedIn()
    const noted = async () =>
      (
        await sql<{
          at: string
        }>`select last_active_at as at from auth_session where id = ${idOf(user)}`.execute(
          auth.database.kysely,
        )
      ).rows[0]!.at
    await age(user, 'last_active_at', 55)
    const before = await noted()
    await v1(auth, user.token)
    await new Promise(resolve => setTimeout(resolve, 100))
    expect(await noted()).toBe(before)
    await age(user, 'last_active_at', 10)
    await v1(auth, user.token)
    await expect.poll(async () => Date.now() - Date.parse(await noted())).toBeLessThan(5_000)
  })

  test('that somebody holds in a transaction is served all the same', async () => {
    const user = await auth.signedIn()
    await age(user, 'last_active_at', 3600)
    const connection = await auth.database.pool.connect()
    await connection.query('begin')
    await connection.query('select 1 from auth_session where id = $1 for update', [idOf(user)])
    expect((await v1(auth, user.token)).status).toBe(200)
    await connection.query('rollback')
    connection.release()
  })
})

describe('in another process', () => {
  let other: TestAuth
  beforeAll(async () => {
    other = await createTestAuth({}, auth.database)
  })
  afterAll(() => other[Symbol.asyncDispose]())

  test('a role, a ban and its end count from the next call on', async () => {
    const user = await auth.signedIn()
    const db = auth.database.kysely
    expect(await v1(other, user.token)).toMatchObject({ status: 200, role: 'user' })
    await db.insertInto('user_roles').values({ user_id: user.id, role: 'admin', created_by: null }).execute()
    expect(await v1(other, user.token)).toMatchObject({ role: 'admin' })
    await db.deleteFrom('user_roles').where('user_id', '=', user.id).execute()
    expect(await v1(other, user.token)).toMatchObject({ role: 'user' })
    await sql`update auth_user set banned_until = now() + interval '1 hour' where id = ${user.id}`.execute(db)
    expect((await v1(other, user.token)).status).toBe(401)
    await sql`update auth_user set banned_until = null where id = ${user.id}`.execute(db)
    expect((await v1(other, user.token)).status).toBe(200)
  })

  test('so do a log-out and a new password', async () => {
    const user = await auth.signedIn()
    const second = await signedInAgain(auth, user)
    const third = await signedInAgain(auth, user)
    for (const { token } of [user, second, third]) expect((await v1(other, token)).status).toBe(200)
    await second.client.signOut({ scope: 'local' })
    expect((await v1(other, second.token)).status).toBe(401)
    await user.client.updateUser({ password: 'battery staple' })
    expect((await v1(other, third.token)).status).toBe(401)
    await user.client.signOut()
    expect((await v1(other, user.token)).status).toBe(401)
  })

  test('so do factors: added, used and removed', async () => {
    const user = await withTotp(auth)
    expect((await v1(other, user.token)).status).toBe(200)
    const weak = await signedInAgain(auth, user)
    expect((await v1(other, weak.token)).status).toBe(403)
    await weak.client.mfa.challengeAndVerify({ factorId: user.factorId, code: codeOf(user.secret, 1) })
    // The older access token says aal1; the session's row counts.
    expect((await v1(other, weak.token)).status).toBe(200)
    const { data } = await user.client.mfa.enroll({ factorType: 'totp', friendlyName: 'second' })
    if (data!.type !== 'totp') throw new Error('another type')
    await user.client.mfa.challengeAndVerify({ factorId: data!.id, code: codeOf(data!.totp.secret) })
    await user.client.mfa.unenroll({ factorId: user.factorId })
    expect((await v1(other, user.token)).status).toBe(200)
    expect((await v1(other, weak.token)).status).toBe(403)
  })
})

test('twenty tabs of one browser that refresh at once stay signed in', async () => {
  const items = new Map<string, string>()
  const storage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  }
  const events: string[] = []
  const tabs = Array.from({ length: 20 }, () => {
    const tab = new AuthClient({
      url: auth.url,
      storage,
      storageKey: 'shared',
      autoRefreshToken: false,
      detectSessionInUrl: false,
    })
    tab.onAuthStateChange(event => void events.push(event))
    return tab
  })
  const { email, password } = await auth.signedIn()
  await tabs[0]!.signInWithPassword({ email, password })
  for (let round = 0; round < 3; round++) {
    const before = (await tabs[0]!.getSession()).data.session!.refresh_token
    const answers = await Promise.all(tabs.map(tab => tab.refreshSession()))
    // A tab that sees that another one was faster leaves its own answer and takes what the other stored.
    for (const { error } of answers) expect([undefined, 'AuthRefreshDiscardedError']).toContain(error?.name)
    const after = await Promise.all(
      tabs.map(async tab => (await tab.getSession()).data.session!.refresh_token),
    )
    expect(new Set(after).size).toBe(1)
    expect(after[0]).not.toBe(before)
  }
  expect(events).not.toContain('SIGNED_OUT')
  for (const tab of tabs) expect((await tab.getUser()).error).toBeNull()
})

test('are set by the operator, in days; nothing is a rule by itself', () => {
  const rulesOf = (env: Record<string, string>) => defaultSettings(readConfig(env)).sessions
  expect(rulesOf({})).toEqual(noRules)
  expect(
    rulesOf({ INGOT_SESSION_DAYS: '30', INGOT_SESSION_IDLE_DAYS: '7', INGOT_SINGLE_SESSION: 'true' }),
  ).toEqual({
    timeBoxSeconds: 2_592_000,
    inactivitySeconds: 604_800,
    lowAalSeconds: null,
    singlePerUser: true,
  })
  expect(() => rulesOf({ INGOT_SESSION_DAYS: '0' })).toThrow(/INGOT_SESSION_DAYS is "0"/)
  expect(() => rulesOf({ INGOT_SINGLE_SESSION: 'yes' })).toThrow(/INGOT_SINGLE_SESSION/)
})

import { createSecretKey, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../db/ids.ts'
import { createVault } from '../../vault.ts'
import { encodeRefreshToken, isGenuine, parseRefreshToken, refreshKeyOf } from './refresh-token.ts'
import { apiVersion, createTestAuth, newEmail, type TestAuth } from '../testing/auth-server.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await createTestAuth({ refreshWaitSeconds: 0.3 })
})
afterAll(() => auth[Symbol.asyncDispose]())

const refresh = (refresh_token: string) =>
  auth.call('POST', '/token?grant_type=refresh_token', { headers: apiVersion, body: { refresh_token } })
const rotate = async (token: string) => (await refresh(token)).body['refresh_token'] as string
const idOf = (token: string) => parseRefreshToken(token)!.sessionId
const secondsLater = (token: string, seconds: number) =>
  sql`update auth_session set refreshed_at = refreshed_at - ${seconds} * interval '1 second'
    where id = ${idOf(token)}`.execute(auth.database.kysely)

describe('a refresh token', () => {
  test('rotates, and the session keeps its id, level and methods', async () => {
    const { client, refreshToken } = await auth.signedIn()
    const before = (await client.getClaims()).data!.claims
    const { data, error } = await client.refreshSession()
    expect(error).toBeNull()
    expect(data.session!.refresh_token).not.toBe(refreshToken)
    const after = (await client.getClaims()).data!.claims
    expect(after).toMatchObject({ session_id: before['session_id'], aal: 'aal1', amr: before['amr'] })
  })

  test('that is the parent of the active one gets the active one again, at any later time', async () => {
    const { refreshToken: parent } = await auth.signedIn()
    const active = await rotate(parent)
    await secondsLater(parent, 86_400)
    const again = await refresh(parent)
    expect(again).toMatchObject({ status: 200, body: { refresh_token: active } })
    expect((await refresh(active)).status).toBe(200)
  })

  test('that is older still works within ten seconds of the last rotation', async () => {
    const { refreshToken: oldest } = await auth.signedIn()
    const active = await rotate(await rotate(oldest))
    expect(await refresh(oldest)).toMatchObject({ status: 200, body: { refresh_token: active } })
  })

  test('that is older than that was stolen: the session ends for everybody', async () => {
    const { refreshToken: stolen, client } = await auth.signedIn()
    const active = await rotate(await rotate(stolen))
    await secondsLater(stolen, 11)
    expect(await refresh(stolen)).toMatchObject({
      status: 400,
      body: { code: 'refresh_token_already_used', message: 'Invalid Refresh Token: Already Used' },
    })
    expect(await refresh(active)).toMatchObject({ status: 400, body: { code: 'refresh_token_not_found' } })
    expect((await client.getUser()).error!.name).toBe('AuthSessionMissingError')
  })

  test('cannot keep its own ten seconds open by being used', async () => {
    const { refreshToken: stolen } = await auth.signedIn()
    await rotate(await rotate(stolen))
    await secondsLater(stolen, 9)
    expect((await refresh(stolen)).status).toBe(200)
    await secondsLater(stolen, 2)
    expect((await refresh(stolen)).status).toBe(400)
  })

  test('used twenty times at once never signs anybody out', async () => {
    await using patient = await createTestAuth({}, auth.database)
    const { refreshToken } = await patient.signedIn()
    const body = { refresh_token: refreshToken }
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => patient.call('POST', '/token?grant_type=refresh_token', { body })),
    )
    expect(answers.map(answer => answer.status)).toEqual(Array(20).fill(200))
    const issued = new Set(answers.map(answer => answer.body['refresh_token'] as string))
    expect(issued.size).toBe(1)
    const [active] = issued
    const next = await patient.call('POST', '/token?grant_type=refresh_token', {
      body: { refresh_token: active },
    })
    expect(next.status).toBe(200)
  })

  test('waits for another refresh of its session, then answers 409 and holds no connection', async () => {
    const { refreshToken } = await auth.signedIn()
    const other = new pg.Client({ connectionString: auth.database.url })
    await other.connect()
    await other.query('begin')
    await other.query('select 1 from auth_session where id = $1 for update', [idOf(refreshToken)])
    const answers = await Promise.all(Array.from({ length: 40 }, () => refresh(refreshToken)))
    for (const answer of answers) expect(answer).toMatchObject({ status: 409, body: { code: 'conflict' } })
    await other.query('rollback')
    await other.end()
    expect((await refresh(refreshToken)).status).toBe(200)
  })

  test('that a crash of the database forgot goes on from where its holder is', async () => {
    const { refreshToken } = await auth.signedIn()
    const latest = await rotate(await rotate(refreshToken))
    await sql`update auth_session set refresh_counter = refresh_counter - 2 where id = ${idOf(refreshToken)}`.execute(
      auth.database.kysely,
    )
    const next = await rotate(latest)
    expect(next).not.toBe(latest)
    await secondsLater(refreshToken, 11)
    expect(await refresh(refreshToken)).toMatchObject({ body: { code: 'refresh_token_already_used' } })
  })

  test('of a banned user is refused', async () => {
    const { refreshToken, id } = await auth.signedIn()
    await sql`update auth_user set banned_until = now() + interval '1 hour' where id = ${id}`.execute(
      auth.database.kysely,
    )
    expect(await refresh(refreshToken)).toMatchObject({
      status: 400,
      body: { code: 'user_banned', message: 'Invalid Refresh Token: User Banned' },
    })
  })

  test('is refused when malformed, unknown or forged, each in its way', async () => {
    const { refreshToken } = await auth.signedIn()
    const malformed = [
      '',
      'nonsense',
      'x'.repeat(200),
      `${refreshToken}=`,
      flip(refreshToken),
      `${refreshToken}AA`,
    ]
    for (const token of malformed) {
      const answer = await refresh(token)
      expect(answer, token).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    }
    const forged = [
      encodeRefreshToken(newId(), 0n, newKey()),
      encodeRefreshToken(idOf(refreshToken), 0n, newKey()),
      encodeRefreshToken(idOf(refreshToken), 1n, newKey()),
      'abcdefghij12',
    ]
    for (const token of forged) {
      expect(await refresh(token)).toMatchObject({
        status: 400,
        body: {
          code: 'refresh_token_not_found',
          message: 'Invalid Refresh Token: Refresh Token Not Found',
        },
      })
    }
    expect((await refresh(refreshToken)).status).toBe(200)
  })

  test('cannot be made from a copy of the database, by a service with another secret', async () => {
    const { refreshToken } = await auth.signedIn()
    const copy = createVault('another secret')
    const id = idOf(refreshToken)
    for (const counter of [0n, 1n]) {
      const forged = encodeRefreshToken(id, counter, refreshKeyOf(copy, id))
      expect(await refresh(forged)).toMatchObject({ body: { code: 'refresh_token_not_found' } })
    }
    expect((await refresh(refreshToken)).status).toBe(200)
  })
})

const newKey = () => createSecretKey(randomBytes(32))

const flip = (token: string) => token.slice(0, 10) + (token[10] === 'A' ? 'B' : 'A') + token.slice(11)

test.each([0n, 1n, 127n, 128n, 300n, 2n ** 40n, 2n ** 63n - 1n])(
  'a refresh token with counter %d is read back as it was written',
  counter => {
    const key = newKey()
    const id = newId()
    const token = parseRefreshToken(encodeRefreshToken(id, counter, key))!
    expect(token).toMatchObject({ sessionId: id, counter })
    expect(isGenuine(token, key)).toBe(true)
    expect(isGenuine(token, newKey())).toBe(false)
  },
)

test('signing in again leaves other sessions alone', async () => {
  const { email, password, refreshToken } = await auth.signedIn(newEmail())
  await auth.client().signInWithPassword({ email, password })
  expect((await refresh(refreshToken)).status).toBe(200)
})

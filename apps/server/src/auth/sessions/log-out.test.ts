import { generateKeyPair, SignJWT } from 'jose'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../db/ids.ts'
import { makeSigningKey } from '../keys/make-signing-key.ts'
import { apiVersion, createTestAuth, type SignedInClient, type TestAuth } from '../testing/auth-server.ts'
import { createTokens } from './tokens.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await createTestAuth()
})
afterAll(() => auth[Symbol.asyncDispose]())

/** Statuses of GET /user and of a call of `/v1`. */
async function access(token: string): Promise<[number, number]> {
  const user = await auth.call('GET', '/user', { token })
  const caller = await fetch(`${auth.origin}/v1/caller`, { headers: { authorization: `Bearer ${token}` } })
  return [user.status, caller.status]
}

/** Three sessions of one user. */
async function threeSessions(): Promise<[SignedInClient, string, string]> {
  const first = await auth.signedIn()
  const tokens = await Promise.all(
    [0, 1].map(async () => (await auth.client().signInWithPassword(first)).data.session!.access_token),
  )
  return [first, tokens[0]!, tokens[1]!]
}

describe('signing out', () => {
  test.each([
    ['local', [403, 401], [200, 200]],
    ['others', [200, 200], [403, 401]],
    ['global', [403, 401], [403, 401]],
  ] as const)('%s is effective at once, here and for /v1', async (scope, here, elsewhere) => {
    const [{ client, token }, ...others] = await threeSessions()
    for (const each of [token, ...others]) expect(await access(each)).toEqual([200, 200])
    expect((await client.signOut({ scope })).error).toBeNull()
    expect(await access(token)).toEqual(here)
    for (const other of others) expect(await access(other)).toEqual(elsewhere)
  })

  test.each([
    ['by default', '/logout'],
    ['with an empty scope', '/logout?scope='],
  ])('is global %s, answers 204 without a body, and twice is not found', async (_, path) => {
    const [{ token }, other] = await threeSessions()
    const answer = await auth.call('POST', path, { token })
    expect(answer).toMatchObject({ status: 204, body: { text: '' } })
    expect(await access(other)).toEqual([403, 401])
    const again = await auth.call('POST', '/logout', { token, headers: apiVersion })
    expect(again).toMatchObject({ status: 403, body: { code: 'session_not_found' } })
  })

  test('leaves other users alone', async () => {
    const [mine, theirs] = [await auth.signedIn(), await auth.signedIn()]
    await mine.client.signOut()
    expect(await access(theirs.token)).toEqual([200, 200])
  })

  test('with an unknown scope does nothing', async () => {
    const { token } = await auth.signedIn()
    const answer = await auth.call('POST', '/logout?scope=everything', { token, headers: apiVersion })
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', message: 'Unsupported logout scope "everything"' },
    })
    expect(await access(token)).toEqual([200, 200])
  })
})

const caller = async (token: string) =>
  (await fetch(`${auth.origin}/v1/caller`, { headers: { authorization: `Bearer ${token}` } })).json()

describe('who is calling', () => {
  test('is the session row with the role of its user, as it is now', async () => {
    const { token, id } = await auth.signedIn()
    const db = auth.database.kysely
    expect(await caller(token)).toMatchObject({ userId: id, role: 'user' })
    const give = (role: 'moderator' | 'admin') =>
      db
        .insertInto('user_roles')
        .values({ user_id: id, role, created_by: null })
        .onConflict(conflict => conflict.column('user_id').doUpdateSet({ role }))
        .execute()
    await give('moderator')
    expect(await caller(token)).toMatchObject({ role: 'moderator' })
    await give('admin')
    expect(await caller(token)).toMatchObject({ role: 'admin' })
    await db.deleteFrom('user_roles').where('user_id', '=', id).execute()
    expect(await caller(token)).toMatchObject({ role: 'user' })
  })

  test('is nobody once banned, and nobody once deleted', async () => {
    const { token, id } = await auth.signedIn()
    const db = auth.database.kysely
    await sql`update auth_user set banned_until = now() + interval '1 hour' where id = ${id}`.execute(db)
    expect(await access(token)).toEqual([403, 401])
    await sql`update auth_user set banned_until = now() - interval '1 second' where id = ${id}`.execute(db)
    expect(await access(token)).toEqual([200, 200])
    await db.deleteFrom('auth_user').where('id', '=', id).execute()
    const answer = await auth.call('GET', '/user', { token, headers: apiVersion })
    expect(answer).toMatchObject({ status: 403, body: { code: 'user_not_found' } })
    expect(await access(token)).toEqual([403, 401])
  })

  test('is right for each of many callers that share a query', async () => {
    const users = await Promise.all(Array.from({ length: 5 }, () => auth.signedIn()))
    const [gone, ...left] = users
    await gone!.client.signOut()
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => caller(users[i % users.length]!.token)),
    )
    for (const [i, answer] of answers.entries()) {
      const user = users[i % users.length]!
      if (user === gone) expect(answer).toMatchObject({ error: { code: 'not_authenticated' } })
      else expect(answer).toMatchObject({ userId: user.id })
    }
    expect(left).toHaveLength(4)
  })

  test.each([undefined, 'Bearer', 'Basic YTpi', 'Bearer x y', 'bearer', 'Bearer nonsense', 'Token x'])(
    'is nobody with authorization %s',
    async authorization => {
      const headers = authorization ? { authorization } : undefined
      const answer = await fetch(`${auth.origin}/v1/caller`, { headers })
      expect(answer.status).toBe(401)
    },
  )

  test('is not told by the apikey header', async () => {
    const { token } = await auth.signedIn()
    const answer = await auth.call('GET', '/user', { headers: { ...apiVersion, apikey: token } })
    expect(answer).toMatchObject({
      status: 401,
      body: { code: 'no_authorization', message: 'This endpoint requires a valid Bearer token' },
    })
  })
})

async function foreign(claims: Record<string, unknown>, kid: string): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256')
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid })
    .setAudience('authenticated')
    .setExpirationTime('1h')
    .sign(privateKey)
}
const unsigned = (claims: object) =>
  `${[{ alg: 'none' }, claims].map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`

describe('a token', () => {
  test('of another signer, changed, or unsigned is refused', async () => {
    const { token } = await auth.signedIn()
    const [head, payload, signature] = token.split('.') as [string, string, string]
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string }
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
    const changed = Buffer.from(JSON.stringify({ ...claims, sub: newId() })).toString('base64url')
    const bad = [
      await foreign(claims, kid),
      await foreign(claims, 'unknown'),
      `${head}.${changed}.${signature}`,
      unsigned(claims),
      'x'.repeat(5000),
      'a.b.c',
    ]
    for (const each of bad) {
      const answer = await auth.call('GET', '/user', { token: each, headers: apiVersion })
      expect(answer).toMatchObject({ status: 403, body: { code: 'bad_jwt' } })
      expect(answer.body['message']).toMatch(/^invalid JWT: unable to parse or verify signature, /)
      expect((await access(each))[1]).toBe(401)
    }
  })

  test('stops working when its time is over, remembered or not', async () => {
    await using short = await createTestAuth({ accessTokenSeconds: 1 }, auth.database)
    const { token } = await short.signedIn()
    const status = async () =>
      (await fetch(`${short.origin}/v1/caller`, { headers: { authorization: `Bearer ${token}` } })).status
    expect(await status()).toBe(200)
    await expect.poll(status, { timeout: 3000 }).toBe(401)
    const answer = await short.call('GET', '/user', { token, headers: apiVersion })
    expect(answer.body['message']).toMatch(/token is expired$/)
  })

  test('is verified by every published key; a rotation needs no restart', async () => {
    await using rotating = await createTestAuth()
    const { token, email, password } = await rotating.signedIn()
    const db = rotating.database.kysely
    const kidsOf = async () =>
      ((await rotating.call('GET', '/.well-known/jwks.json')).body['keys'] as { kid: string }[]).map(
        key => key.kid,
      )
    const [oldKid] = await kidsOf()
    const newKid = await makeSigningKey(db, rotating.vault, false)
    await sql`update auth_signing_key set signs = false where kid = ${oldKid}`.execute(db)
    await sql`update auth_signing_key set signs = true where kid = ${newKid}`.execute(db)

    // A process that starts now signs with the new key; the running one learns it from the token's key id.
    const fresh = createTokens({
      database: rotating.database,
      vault: rotating.vault,
      config: { publicUrl: 'http://localhost:8080' },
    })
    const user = {
      id: newId(),
      role: 'authenticated',
      phone: null,
      email,
      app_metadata: {},
      user_metadata: {},
      is_anonymous: false,
    }
    const claims = { id: newId(), aal: 'aal1', amr: [] } as const
    const newToken = (await fresh.sign(user, claims)).token
    await expect
      .poll(
        async () =>
          (await rotating.call('GET', '/user', { token: newToken, headers: apiVersion })).body['code'],
        { timeout: 5000 },
      )
      .toBe('user_not_found')
    expect((await rotating.call('GET', '/user', { token })).status).toBe(200)
    expect(new Set(await kidsOf())).toEqual(new Set([oldKid, newKid]))
    expect((await rotating.client().signInWithPassword({ email, password })).error).toBeNull()
  })

  test('is signed by one key although many processes start on an empty database at once', async () => {
    await using empty = await createTestAuth()
    const config = { publicUrl: 'http://localhost:8080' }
    const processes = Array.from({ length: 8 }, () =>
      createTokens({ database: empty.database, vault: empty.vault, config }),
    )
    const jwks = await Promise.all(processes.map(each => each.jwks()))
    expect(new Set(jwks.map(each => each.keys.map(key => key.kid).join())).size).toBe(1)
    const { headers, body } = await empty.call('GET', '/.well-known/jwks.json')
    expect(headers.get('cache-control')).toBe('public, max-age=600')
    expect(body['keys']).toEqual([
      {
        kty: 'EC',
        crv: 'P-256',
        alg: 'ES256',
        use: 'sig',
        key_ops: ['verify'],
        kid: expect.any(String) as string,
        x: expect.any(String) as string,
        y: expect.any(String) as string,
      },
    ])
  })
})

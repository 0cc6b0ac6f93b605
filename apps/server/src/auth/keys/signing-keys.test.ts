import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { decodeProtectedHeader } from 'jose'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newId } from '../../db/ids.ts'
import { createVault } from '../../vault.ts'
import { advanceSigningKeys } from './advance-signing-keys.ts'
import { rotateSigningKey } from './rotate-signing-key.ts'
import { createTestAuth, siteUrl, type TestAuth } from '../testing/auth-server.ts'
import { createTokens } from '../sessions/tokens.ts'

const rules = { days: 90, tokenSeconds: 3600 }
const advance = ({ database, vault }: TestAuth) => advanceSigningKeys(database, vault, rules)

/** As if so much time had passed for the keys. */
const minutesLater = ({ database }: TestAuth, minutes: number) =>
  sql`update auth_signing_key set created_at = created_at - ${minutes} * interval '1 minute',
    signs_from = signs_from - ${minutes} * interval '1 minute',
    signs_until = signs_until - ${minutes} * interval '1 minute'`.execute(database.kysely)

/** Of a process that starts now. */
const tokensOf = ({ database, vault }: TestAuth) =>
  createTokens({ database, vault, config: { publicUrl: siteUrl } })
const kidsOf = async (auth: TestAuth) => (await tokensOf(auth).jwks()).keys.map(key => key.kid)
const user = {
  id: newId(),
  role: 'authenticated',
  email: null,
  phone: null,
  app_metadata: {},
  user_metadata: {},
  is_anonymous: false,
}
const signer = async (auth: TestAuth) => {
  const { token } = await tokensOf(auth).sign(user, { id: newId(), aal: 'aal1', amr: [] })
  return decodeProtectedHeader(token).kid
}

test('every signature is one that others can verify, however short its numbers', async () => {
  await using auth = await createTestAuth()
  const { sign, verify } = tokensOf(auth)
  for (let n = 0; n < 1_000; n++) {
    const { token } = await sign({ ...user, user_metadata: { n } }, { id: newId(), aal: 'aal1', amr: [] })
    expect(await verify(token)).toMatchObject({ userId: user.id })
  }
})

describe('a rotation', () => {
  test('publishes the next key at once, signs with it after twenty minutes, drops the old one when its tokens are over', async () => {
    await using auth = await createTestAuth()
    const old = await signer(auth)
    const { kid, signsFrom } = await rotateSigningKey(auth.database, auth.vault)
    expect(Math.abs(signsFrom.getTime() - Date.now() - 1_200_000)).toBeLessThan(5_000)
    expect(await kidsOf(auth)).toEqual([old, kid])
    await minutesLater(auth, 19)
    await advance(auth)
    expect(await signer(auth)).toBe(old)
    await minutesLater(auth, 1)
    await advance(auth)
    expect(await signer(auth)).toBe(kid)
    expect(await kidsOf(auth)).toEqual([old, kid])
    await minutesLater(auth, 64)
    await advance(auth)
    expect(await kidsOf(auth)).toEqual([old, kid])
    await minutesLater(auth, 2)
    await advance(auth)
    expect(await kidsOf(auth)).toEqual([kid])
    expect(await signer(auth)).toBe(kid)
  })

  test('signs nobody out: clients verify tokens of both keys, by themselves', async () => {
    await using auth = await createTestAuth()
    const { client, email, password } = await auth.signedIn()
    const before = decodeProtectedHeader((await client.getSession()).data.session!.access_token).kid
    await rotateSigningKey(auth.database, auth.vault)
    await minutesLater(auth, 20)
    await advance(auth)
    // A second process has read the new key already; this one still signs with the old.
    await using second = await createTestAuth({}, auth.database)
    const other = second.client()
    const { data } = await other.signInWithPassword({ email, password })
    expect(decodeProtectedHeader(data.session!.access_token).kid).not.toBe(before)
    expect((await other.getClaims()).error).toBeNull()
    expect((await client.getClaims()).error).toBeNull()
    expect((await client.getUser()).error).toBeNull()
    const { access_token } = data.session!
    await expect
      .poll(async () => (await auth.call('GET', '/user', { token: access_token })).status, { timeout: 5000 })
      .toBe(200)
  })

  test('begins by itself when the key has signed for long enough, once', async () => {
    await using auth = await createTestAuth()
    const old = await signer(auth)
    await minutesLater(auth, 90 * 1440 - 1)
    await advance(auth)
    expect(await kidsOf(auth)).toEqual([old])
    await minutesLater(auth, 2)
    await advance(auth)
    await advance(auth)
    const kids = await kidsOf(auth)
    expect(kids).toHaveLength(2)
    await minutesLater(auth, 20)
    await advance(auth)
    expect(await signer(auth)).toBe(kids[1])
    await advance(auth)
    expect(await kidsOf(auth)).toHaveLength(2)
  })

  test('is one, however many processes begin and advance it', async () => {
    await using auth = await createTestAuth()
    await signer(auth)
    const begun = await Promise.all(
      Array.from({ length: 8 }, () => rotateSigningKey(auth.database, auth.vault)),
    )
    expect(new Set(begun.map(each => each.kid)).size).toBe(1)
    await minutesLater(auth, 20)
    await Promise.all(Array.from({ length: 8 }, () => advance(auth)))
    expect(await signer(auth)).toBe(begun[0]!.kid)
    const { rows } = await sql`select 1 from auth_signing_key`.execute(auth.database.kysely)
    expect(rows).toHaveLength(2)
  })
})

const command = fileURLToPath(new URL('rotate-keys.ts', import.meta.url))
const run = (env: Record<string, string>) =>
  promisify(execFile)(process.execPath, [command], { env: { NODE_NO_WARNINGS: '1', ...env } }).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    (error: { code: number; stderr: string }) => ({ code: error.code, text: error.stderr }),
  )

describe('the operator’s command', () => {
  test('begins a rotation in the server’s database', async () => {
    await using auth = await createTestAuth()
    const old = await signer(auth)
    const { code, text } = await run({ DATABASE_URL: auth.database.url, INGOT_SECRET: 'test' })
    const kids = await kidsOf(auth)
    expect(kids).toHaveLength(2)
    expect(kids[0]).toBe(old)
    expect(code).toBe(0)
    expect(text).toMatch(new RegExp(`^Key ${kids[1]} is published\\. The server signs with it from 20`))
  })

  test('makes no key that the server could not open', async () => {
    await using auth = await createTestAuth()
    await signer(auth)
    const { code, text } = await run({ DATABASE_URL: auth.database.url, INGOT_SECRET: 'another' })
    expect(code).toBe(1)
    expect(text).toMatch(/^No key was made: .*sealed with another secret/)
    expect(await kidsOf(auth)).toHaveLength(1)
    await expect(
      createTokens({
        database: auth.database,
        vault: createVault('another'),
        config: { publicUrl: siteUrl },
      }).jwks(),
    ).rejects.toThrow(/another secret/)
  })

  test('touches no folder that is not a server’s', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'ingot-keys-'))
    const { code, text } = await run({ INGOT_DATA_DIR: dir })
    await rm(dir, { recursive: true })
    expect(code).toBe(1)
    expect(text).toBe(
      `No key was made: ${dir} has no secret. Set INGOT_DATA_DIR to the data folder of the server.\n`,
    )
  })
})

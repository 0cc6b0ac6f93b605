import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'

const server = useTestServer({ worker: false })
const db = () => server.services.database.kysely
const generate = ({ client }: TestUser, name?: string) =>
  client.accounts.generateApiKey(name === undefined ? {} : { name })
const status = async (bearer: string) => (await server.fetch('/v1/wallet', { token: bearer })).status
const logged = async ({ client }: TestUser) =>
  (await client.activity.usageLogs({})).items.map(({ action, instance_id, message }) => ({
    action,
    instance_id,
    message,
  }))

test('a key works as its owner, is shown masked, and lies hashed and sealed only', async () => {
  const user = await server.user('5')
  expect(await user.client.accounts.apiKey()).toEqual({ key: null })
  const { key_value, ...key } = await generate(user)
  expect(key_value).toMatch(/^ingot_[A-Za-z0-9_-]{43}$/)
  expect(key).toMatchObject({
    name: 'Default API Key',
    masked: `ingot_…${key_value.slice(-4)}`,
    last_used_at: null,
  })
  expect(await user.client.accounts.apiKey()).toEqual({ key })
  expect((await server.client(key_value).wallet.get()).user_id).toBe(user.id)

  const { rows } = await sql<{ key_hash: Buffer; row: string }>`
    select key_hash, convert_from(convert_to(k::text, 'UTF8'), 'UTF8') || encode(key_sealed, 'escape') as row
    from api_keys k where user_id = ${user.id}`.execute(db())
  expect(rows[0]!.key_hash).toEqual(createHash('sha256').update(key_value).digest())
  expect(rows[0]!.row).not.toContain(key_value.slice(6, 20))
  const kept = await sql`select from idempotency where response::text like ${`%${key_value}%`}`.execute(db())
  expect(kept.rows).toHaveLength(0)
})

test('generating ends the key before at once; revoking ends the last one', async () => {
  const user = await server.user()
  const first = await generate(user, 'First')
  const second = await generate(user, 'Second')
  expect([await status(first.key_value), await status(second.key_value)]).toEqual([401, 200])
  await user.client.accounts.revokeApiKey()
  expect(await status(second.key_value)).toBe(401)
  expect(await user.client.accounts.apiKey()).toEqual({ key: null })
  await expect(user.client.accounts.revealApiKey()).rejects.toMatchObject({ code: 'not_found' })
  await user.client.accounts.revokeApiKey()
  expect((await logged(user)).map(({ action }) => action)).toEqual([
    'api_key_revoked',
    'api_key_generated',
    'api_key_generated',
  ])
})

test('of 20 keys generated at once exactly one works', async () => {
  const user = await server.user()
  const keys = await Promise.all(Array.from({ length: 20 }, () => generate(user)))
  const works = await Promise.all(keys.map(({ key_value }) => status(key_value)))
  expect(works.filter(each => each === 200)).toHaveLength(1)
  const [active] = await db()
    .selectFrom('api_keys')
    .select('id')
    .where('user_id', '=', user.id)
    .where('is_active', '=', true)
    .execute()
  expect(keys[works.indexOf(200)]!.id).toBe(active!.id)
})

test('showing it again answers the key and is recorded, with the address that asked', async () => {
  const user = await server.user()
  const { key_value } = await generate(user, 'CI')
  expect(await user.client.accounts.revealApiKey()).toEqual({ key_value })
  expect(await logged(user)).toEqual([
    { action: 'api_key_revealed', instance_id: null, message: 'CI, from 127.0.0.1' },
    { action: 'api_key_generated', instance_id: null, message: 'CI, from 127.0.0.1' },
  ])
  const byKey = await server.fetch('/v1/api-key/reveal', { method: 'POST', token: key_value, body: '{}' })
  expect(byKey.status).toBe(403)
  expect(await logged(user)).toHaveLength(2)
})

test('a sealed key opens in its own row only', async () => {
  const [ada, bob] = [await server.user(), await server.user()]
  await Promise.all([generate(ada), generate(bob)])
  await sql`update api_keys set key_sealed = (select key_sealed from api_keys where user_id = ${bob.id}) where user_id = ${ada.id}`.execute(
    db(),
  )
  await expect(ada.client.accounts.revealApiKey()).rejects.toMatchObject({ code: 'internal' })
})

test('its use is noted, at most once a minute', async () => {
  const user = await server.user()
  const { key_value } = await generate(user)
  const usedAt = async () => (await user.client.accounts.apiKey()).key!.last_used_at
  await status(key_value)
  const first = await until(usedAt, at => at !== null)
  await status(key_value)
  expect(await usedAt()).toBe(first)
  await sql`update api_keys set last_used_at = now() - interval '61 s' where user_id = ${user.id}`.execute(
    db(),
  )
  await status(key_value)
  await until(usedAt, at => at! >= first!)
})

test('a banned owner’s key is refused; a role counts from the next request on', async () => {
  const user = await server.user()
  const { key_value } = await generate(user)
  const role = async () => (await server.client(key_value).accounts.userRole()).role
  expect(await role()).toBe('user')
  await sql`insert into user_roles (user_id, role) values (${user.id}, 'moderator')`.execute(db())
  expect(await role()).toBe('moderator')
  await sql`update auth_user set banned_until = now() + interval '1 hour' where id = ${user.id}`.execute(db())
  expect(await status(key_value)).toBe(401)
})

test('a second factor is no matter of a key', async () => {
  const user = await server.user()
  const { key_value } = await generate(user)
  await sql`insert into auth_factor (id, user_id, factor_type, status, friendly_name, secret_sealed)
    values (gen_random_uuid(), ${user.id}, 'totp', 'verified', 'Phone', 'x')`.execute(db())
  expect(await status(user.token)).toBe(403)
  expect(await status(key_value)).toBe(200)
})

test.each([
  'ingot_',
  `ingot_${'a'.repeat(42)}`,
  `ingot_${'a'.repeat(43)}`,
  `ingot_${'a'.repeat(44)}`,
  'ingot_x.y.z',
])('%s is no key', async bearer => expect(await status(bearer)).toBe(401))

test.each(['', 'x'.repeat(81)])('a name of %j is refused', async name => {
  const user = await server.user()
  await expect(generate(user, name)).rejects.toMatchObject({
    status: 422,
    fields: { name: expect.any(String) as string },
  })
})

test('calls with many keys and sessions at once each get their own owner', async () => {
  const users = await Promise.all(Array.from({ length: 8 }, () => server.user()))
  const keys = await Promise.all(users.map(user => generate(user)))
  const bearers = users.flatMap((user, i) => [
    [user.id, user.token],
    [user.id, keys[i]!.key_value],
  ])
  const owners = await Promise.all(
    bearers.map(async ([, bearer]) => (await server.client(bearer!).wallet.get()).user_id),
  )
  expect(owners).toEqual(bearers.map(([id]) => id))
})

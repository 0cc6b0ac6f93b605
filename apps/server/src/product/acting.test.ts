/**
 * An administrator reads as a customer: each operation of the contract over HTTP, with the header. What they may read is
 * answered as to the customer; everything else is refused; and nothing in the database changes by it.
 */
import { existsSync, readdirSync } from 'node:fs'
import { api } from '@ingot/contracts/api'
import { actingHeader, type Operation, pathKeys } from '@ingot/contracts/operation'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { endLapsed } from '../admin/acting/end-lapsed.ts'
import { newId } from '../db/ids.ts'
import type { RowMakers } from '../http/test-owner.ts'
import { type TestUser, useTestServer } from './test-server.ts'

const server = useTestServer({ worker: false })
const db = () => server.services.database.kysely
const operations = Object.values(api).flatMap(noun => Object.values(noun) as Operation[])
const actable = operations.filter(op => op.actable)

const source = new URL('..', import.meta.url)
const files = readdirSync(source).map(room => new URL(`${room}/test-rows.ts`, source))
const found = await Promise.all(
  files.filter(existsSync).map(file => import(file.href) as Promise<{ rows: RowMakers }>),
)
const makers: RowMakers = Object.assign({}, ...found.map(({ rows }) => rows))

async function administrator(): Promise<TestUser> {
  const user = await server.user()
  await sql`insert into user_roles (user_id, role) values (${user.id}, 'admin')`.execute(db())
  return user
}

let admin: TestUser
let customer: TestUser
const paths = new Map<Operation, string>()
beforeAll(async () => {
  admin = await administrator()
  customer = await server.user('500')
  await customer.client.wallet.get()
  for (const op of actable) {
    const segment = op.path.split('/')[2]!
    const id = pathKeys(op.path).length
      ? await makers[segment]!({
          ...customer,
          db: server.owner,
          signIn: () => server.signIn(customer.id),
        })
      : ''
    paths.set(op, op.path.replace('{id}', id) + (op.id === 'getVolumeGrowth' ? '?size_gb=1000' : ''))
  }
  await admin.client.admin.beginActing({ user_id: customer.id, reason: 'Cannot deploy' })
})

async function ask(op: Operation, path: string, { token }: TestUser, as?: string) {
  const isBody = op.method !== 'GET' && op.method !== 'DELETE' && op.transport !== 'upload'
  const response = await server.fetch(path, {
    method: op.method,
    token,
    body: isBody ? '{}' : undefined,
    headers: as === undefined ? {} : { [actingHeader]: as },
  })
  const text = (await response.text())
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then')
    .replace(/,"request_id":"[^"]+"/, '')
  return { status: response.status, body: text }
}
const codeOf = ({ body }: { body: string }) => (JSON.parse(body) as { error?: { code: string } }).error?.code

/** Of a volume that is not there yet, how it would grow is not answered to its owner either. */
const answered = (op: Operation): number => (op.id === 'getVolumeGrowth' ? 409 : 200)

/** Every row with the transaction that wrote it: an update that changes nothing is seen too. */
async function checksums(): Promise<Record<string, string>> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`.execute(
    server.owner,
  )
  const sums = rows.map(async ({ name }) => {
    const { rows: sum } = await sql<{ sum: string }>`
      select md5(coalesce(string_agg(t.xmin::text || t::text, '|' order by t::text), '')) as sum from ${sql.table(name)} t`.execute(
      server.owner,
    )
    return [name, sum[0]!.sum] as const
  })
  return Object.fromEntries(await Promise.all(sums))
}

describe('an administrator who acts as a customer', () => {
  test('is answered as that customer by each call that they may make', async () => {
    expect(actable.length).toBeGreaterThan(40)
    for (const [op, path] of paths) {
      const own = await ask(op, path, customer)
      expect(own.status, op.id).toBe(answered(op))
      expect(await ask(op, path, admin, customer.id), op.id).toEqual(own)
    }
  })

  test('changes no row by reading, but the count of what they read', async () => {
    const before = await checksums()
    for (const [op, path] of paths)
      expect((await ask(op, path, admin, customer.id)).status).toBe(answered(op))
    const { acting_read: counted, ...after } = await checksums()
    expect(Object.keys(after).length).toBeGreaterThan(60)
    expect({ ...after, acting_read: before['acting_read'] }).toEqual(before)
    expect(counted).not.toBe(before['acting_read'])
  })

  test('makes no wallet for a customer who has none', async () => {
    const poor = await server.user()
    const other = await administrator()
    await other.client.admin.beginActing({ user_id: poor.id, reason: 'No wallet' })
    const op = api.wallet.get
    expect(codeOf(await ask(op, op.path, other, poor.id))).toBe('not_found')
    expect(
      await db().selectFrom('wallets').select('user_id').where('user_id', '=', poor.id).execute(),
    ).toEqual([])
  })

  test('is refused every other call, whatever its input', async () => {
    const others = operations.filter(op => !op.actable && op.who !== 'dev')
    expect(others.length).toBeGreaterThan(100)
    for (const op of others) {
      const path = op.path
        .replace('{port}', '8888')
        .replace('{offset}', '0')
        .replace(/\{\w+\}/g, newId())
      const answer = await ask(op, path, admin, customer.id)
      expect([op.id, answer.status, codeOf(answer)]).toEqual([op.id, 403, 'not_while_acting'])
    }
  })

  test('is themselves without the header', async () => {
    expect(await admin.client.accounts.userRole()).toEqual({ role: 'admin' })
    expect((await admin.client.accounts.profile()).user_id).toBe(admin.id)
  })

  test('reads as nobody else, in no other session, and not when their role is gone', async () => {
    const op = api.accounts.profile
    const stranger = await server.user()
    const read = async (by: TestUser, as: string) => codeOf(await ask(op, op.path, by, as))
    expect(await read(admin, stranger.id)).toBe('acting_ended')
    expect(await read(admin, 'nobody')).toBe('acting_ended')
    expect(await read(stranger, customer.id)).toBe('not_allowed')
    const elsewhere = await server.signIn(admin.id)
    expect(await read({ ...elsewhere, id: admin.id }, customer.id)).toBe('acting_ended')
    const other = await administrator()
    await other.client.admin.beginActing({ user_id: customer.id, reason: 'Too' })
    expect(await read(other, customer.id)).toBeUndefined()
    await sql`delete from user_roles where user_id = ${other.id}`.execute(db())
    expect(await read(other, customer.id)).toBe('not_allowed')
  })

  test('does not act as staff, as themselves, or as nobody; a customer who becomes staff is one no more', async () => {
    const begin = (user_id: string) => admin.client.admin.beginActing({ user_id, reason: 'x' })
    const moderator = await server.user()
    const other = await administrator()
    await other.client.admin.beginActing({ user_id: moderator.id, reason: 'Looks' })
    await sql`insert into user_roles (user_id, role) values (${moderator.id}, 'moderator')`.execute(db())
    const op = api.accounts.profile
    expect(codeOf(await ask(op, op.path, other, moderator.id))).toBe('acting_ended')
    for (const id of [moderator.id, admin.id])
      await expect(begin(id)).rejects.toMatchObject({ code: 'invalid_state' })
    await expect(begin(newId())).rejects.toMatchObject({ code: 'not_found' })
    await expect(
      admin.client.admin.beginActing({ user_id: customer.id, reason: '  ' }),
    ).rejects.toMatchObject({ code: 'validation_failed' })
  })
})

describe('what the customer and the audit log know of it', () => {
  const acts = async ({ client }: TestUser) => (await client.accounts.staffActs({})).items
  const profile = api.accounts.profile

  test('its beginning, its end and what was read, without the name of whoever it was', async () => {
    const [by, user] = [await administrator(), await server.user('1')]
    const { until } = await by.client.admin.beginActing({ user_id: user.id, reason: '  Cannot deploy ' })
    expect((Date.parse(until) - Date.now()) / 60_000).toBeCloseTo(30, 0)
    expect((await by.client.admin.acting()).acting).toMatchObject({
      user_id: user.id,
      reason: 'Cannot deploy',
    })
    await ask(profile, profile.path, by, user.id)
    await ask(profile, profile.path, by, user.id)
    await ask(api.wallet.get, api.wallet.get.path, by, user.id)
    await by.client.admin.endActing()
    expect(await by.client.admin.acting()).toEqual({ acting: null })
    expect(codeOf(await ask(profile, profile.path, by, user.id))).toBe('acting_ended')
    await expect(by.client.admin.endActing()).rejects.toMatchObject({ code: 'invalid_state' })
    const shown = await acts(user)
    expect(shown).toMatchObject([
      {
        by: 'administrator',
        operation: 'endActing',
        changes: [
          { field: 'read', before: null, after: 'getProfile ×2, get_or_create_wallet ×1' },
          { field: 'acting', before: 'on', after: 'off' },
        ],
      },
      {
        by: 'administrator',
        operation: 'beginActing',
        reason: 'Cannot deploy',
        changes: [
          { field: 'until', before: null },
          { field: 'acting', before: null, after: 'on' },
        ],
      },
    ])
    expect(JSON.stringify(shown)).not.toContain(by.id)
  })

  test('that its time was over, when nobody ended it', async () => {
    const [by, user] = [await administrator(), await server.user()]
    await by.client.admin.beginActing({ user_id: user.id, reason: 'Looks' })
    await ask(profile, profile.path, by, user.id)
    await sql`update acting set until = now() where session_id = ${by.sessionId}`.execute(server.owner)
    expect(codeOf(await ask(profile, profile.path, by, user.id))).toBe('acting_ended')
    expect(await endLapsed(server.services.database)).toBe(1)
    expect(await endLapsed(server.services.database)).toBe(0)
    expect((await acts(user))[0]).toMatchObject({ by: 'system', operation: 'actingEnded' })
  })

  test('that another customer took their place', async () => {
    const [by, user, next] = [await administrator(), await server.user(), await server.user()]
    await by.client.admin.beginActing({ user_id: user.id, reason: 'First' })
    await by.client.admin.beginActing({ user_id: next.id, reason: 'Second' })
    expect((await acts(user)).map(act => act.changes.find(each => each.field === 'acting')?.after)).toEqual([
      'off',
      'on',
    ])
    expect((await acts(next)).map(act => act.reason)).toEqual(['Second'])
    expect((await by.client.admin.acting()).acting?.user_id).toBe(next.id)
  })

  test('page by page, and nothing of what they did themselves or of others', async () => {
    const [by, user] = [await administrator(), await server.user()]
    await user.client.accounts.generateApiKey({})
    for (const role of ['moderator', 'user'] as const)
      await by.client.admin.setRole({ id: user.id, role, reason: `to ${role}` })
    const first = await user.client.accounts.staffActs({ limit: 1 })
    const second = await user.client.accounts.staffActs({ limit: 1, cursor: first.next_cursor! })
    expect([...first.items, ...second.items].map(act => act.reason)).toEqual(['to user', 'to moderator'])
    expect(second.next_cursor).toBeNull()
    expect(await acts(await server.user())).toEqual([])
  })

  test('no server’s statement can change who acts and what was read', async () => {
    for (const change of [
      sql`insert into acting (session_id, admin_id, user_id, reason, until) values (${admin.sessionId}, ${admin.id}, ${customer.id}, '', 'infinity')`,
      sql`update acting set until = 'infinity'`,
      sql`delete from acting`,
      sql`update acting_read set count = 0`,
      sql`delete from acting_read`,
    ])
      await expect(change.execute(db())).rejects.toMatchObject({ code: '42501' })
  })
})

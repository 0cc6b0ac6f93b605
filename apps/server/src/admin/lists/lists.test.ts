/** The lists of the administration: whose rows they hold, how they are narrowed down, ordered, paged and searched. */
import { randomBytes } from 'node:crypto'
import type { Client } from '@ingot/sdk/client'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { deleteAccount } from '../../accounts/delete-account.ts'
import { newId } from '../../db/ids.ts'
import { a40 } from '../../instances/test-rows.ts'
import { countMoney } from '../../ledger/testing/count-money.ts'
import { type TestUser, until, useTestServer } from '../../product/test-server.ts'
import { idsThatBegin } from '../../auth/search.ts'

const server = useTestServer()
const db = () => server.services.database.kysely
const hour = 3_600_000
let admin: Client
let ada: TestUser
let bob: TestUser

beforeAll(async () => {
  const user = await server.user()
  await sql`insert into user_roles (user_id, role) values (${user.id}, 'admin')`.execute(db())
  admin = user.client
  ada = await server.user('250')
  bob = await server.user('50')
  await rename(ada, 'ada.lovelace@engines.example', 'Ada', 'Lovelace')
  await rename(bob, 'bob@abacus.example', 'Bob', 'O’Hara 100%')
})

async function rename({ id }: TestUser, email: string, first: string, last: string): Promise<void> {
  await sql`update auth_user set email = ${email} where id = ${id}`.execute(db())
  await sql`insert into profiles (user_id, first_name, last_name) values (${id}, ${first}, ${last})
    on conflict (user_id) do update set first_name = ${first}, last_name = ${last}`.execute(db())
}
const idsOf = ({ items }: { readonly items: readonly { readonly id: string }[] }) => items.map(({ id }) => id)

/** Page by page. */
async function walk<T extends { readonly id: string }>(
  read: (cursor?: string) => Promise<{ readonly items: readonly T[]; readonly next_cursor: string | null }>,
): Promise<T[]> {
  const all: T[] = []
  let cursor: string | undefined
  do {
    const { items, next_cursor } = await read(cursor)
    all.push(...items)
    cursor = next_cursor ?? undefined
  } while (cursor)
  return all
}
const linesOf = async (path: string) => (await server.fetch(path, { token: await tokenOf() })).text()
async function tokenOf(): Promise<string> {
  const user = await server.user()
  await sql`insert into user_roles (user_id, role) values (${user.id}, 'admin')`.execute(db())
  return user.token
}

test('users come in each order, both ways, page by page, each of them once', async () => {
  const others = await Promise.all(['7', '0', '120', '7'].map(usd => server.user(usd)))
  const all = new Set(idsOf(await admin.admin.users({ limit: 100 })))
  expect([...all]).toEqual(expect.arrayContaining([ada.id, bob.id, ...others.map(({ id }) => id)]))
  // Some of it counted, and what comes after it not.
  await countMoney(db())
  for (const sort of ['created', 'email', 'balance', 'spent', 'last_seen'] as const) {
    const down = await walk(cursor => admin.admin.users({ sort, cursor, limit: 2 }))
    expect(new Set(idsOf({ items: down })), sort).toEqual(all)
    expect(down, sort).toHaveLength(all.size)
    const up = await walk(cursor => admin.admin.users({ sort, order: 'asc', cursor, limit: 3 }))
    expect(idsOf({ items: up }), sort).toEqual(idsOf({ items: down }).toReversed())
    const key = (user: (typeof down)[number]) =>
      ({
        created: user.created_at,
        email: user.email ?? '',
        balance: Number(user.balance_usd),
        spent: Number(user.spent_30d),
        last_seen: user.last_seen_at ?? '',
      })[sort]
    const keys = up.map(key)
    expect(keys, sort).toEqual(keys.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
  }
  await expect(admin.admin.users({ sort: 'balance', cursor: 'x|y' })).rejects.toMatchObject({
    code: 'validation_failed',
  })
})

test('users are found by parts of their address and name, by how their id begins, by role and by balance', async () => {
  const find = async (search: string) => idsOf(await admin.admin.users({ search }))
  expect(await find('lovelace@ENG')).toEqual([ada.id])
  expect(await find('a Lovel')).toEqual([ada.id])
  expect(await find('100%')).toEqual([bob.id])
  expect(await find('%')).toEqual([bob.id])
  expect(await find(bob.id.slice(0, 23))).toContain(bob.id)
  expect(await find(bob.id.toUpperCase())).toEqual([bob.id])
  expect(await find('nobody of that name')).toEqual([])
  const { items } = await admin.admin.users({ role: 'admin', limit: 100 })
  expect(items.length).toBeGreaterThan(0)
  expect(items.every(({ role }) => role === 'admin')).toBe(true)
  const low = idsOf(await admin.admin.users({ balance: 'low', limit: 100 }))
  expect(low).toContain(bob.id)
  expect(low).not.toContain(ada.id)
  const empty = (await admin.admin.users({ balance: 'empty', limit: 100 })).items
  expect(empty.every(({ balance_usd }) => balance_usd === '0.000000')).toBe(true)
  expect(idsOf({ items: empty })).not.toContain(bob.id)
})

test('a text begins an id only where it has its form', () => {
  expect(idsThatBegin('0198')).toEqual([
    '01980000-0000-0000-0000-000000000000',
    '0198ffff-ffff-ffff-ffff-ffffffffffff',
  ])
  for (const text of ['019', '01980000-', '0198000g', 'ada@example', `${newId()}0`])
    expect(idsThatBegin(text), text).toEqual(
      text === '01980000-'
        ? ['01980000-0000-0000-0000-000000000000', '01980000-ffff-ffff-ffff-ffffffffffff']
        : null,
    )
})

test('a user says what they have, what runs, how long it lasts and what was earned of them', async () => {
  const user = await server.user('10')
  const { id } = await user.client.instances.create(a40())
  await until(
    () => user.client.instances.get({ id }),
    each => each.status === 'running',
  )
  await server.advance(3 * hour)
  const shown = (await admin.admin.users({ search: user.id })).items[0]!
  expect(shown).toMatchObject({
    running: 1,
    simulated: true,
    gpu_load: null,
    role: 'user',
    email: `${user.id}@example.com`,
  })
  // One hour was prepaid, and counts as it is used.
  expect(Number(shown.spent_30d)).toBeGreaterThan(0.7)
  expect(shown.hours_left).toBeGreaterThan(5)
  expect(Number(shown.balance_usd)).toBeCloseTo(Number((await user.client.wallet.get()).balance_usd), 2)
  await user.client.support.create({ title: 'Help', content: 'Please.' })
  await countMoney(server.owner)
  const details = await admin.admin.user({ id: user.id })
  expect(details).toMatchObject({
    instances: 1,
    volumes: 0,
    tickets: 1,
    open_tickets: 1,
    sessions: 1,
    keys: 0,
    is_deleted: false,
    spent_30d: shown.spent_30d,
    deposited: '0.000000',
    withdrawn: '0.000000',
  })
  const lines = await walk(cursor => user.client.billing.list({ cursor }))
  const sum = lines.reduce((micro, { amount }) => micro + Math.abs(Math.round(Number(amount) * 1e6)), 0)
  expect(Math.round(Number(details.billing_absolute_sum) * 1e6)).toBe(sum)

  // What an instance cost is what its bill says of it, by its id.
  await user.client.instances.stop({ id })
  await until(
    () => user.client.instances.get({ id }),
    each => each.status === 'stopped',
  )
  const about = (await walk(cursor => user.client.billing.list({ cursor, instance: id }))).reduce(
    (micro, { amount }) => micro - Math.round(Number(amount) * 1e6),
    0,
  )
  const instance = await admin.admin.instance({ id })
  expect(Math.round(Number(instance.cost_total) * 1e6)).toBe(about)
  expect(instance).toMatchObject({
    user_email: `${user.id}@example.com`,
    volume_name: null,
    placement: { outcome: 'released', reason: 'stopped' },
  })
  expect((await admin.admin.instanceUsageLog({ id })).items.map(({ action }) => action)).toEqual(
    (await user.client.activity.usageLogs({ instance_id: id })).items.map(({ action }) => action),
  )
  await user.client.instances.delete({ id })
})

test('a user who is deleted is on no list, and what must be kept of them can be read', async () => {
  const user = await server.user('10')
  await deleteAccount(server.services, user.id, { by: user.id, balance: 'forfeit' })
  expect(idsOf(await admin.admin.users({ search: user.id }))).toEqual([])
  expect(await admin.admin.user({ id: user.id })).toMatchObject({
    is_deleted: true,
    email: null,
    first_name: '',
    balance_usd: '0.000000',
    billing_absolute_sum: '20.000000',
    sessions: 0,
  })
  await expect(admin.admin.user({ id: newId() })).rejects.toMatchObject({ code: 'not_found' })
})

test('instances of all users are listed, filtered, ordered and found; each user has their own alone', async () => {
  const make = (user: TestUser, name: string, gpu_count: 1 | 2 = 1) =>
    user.client.instances.create(a40({ name, gpu_count, start: false }))
  const [a, b, c] = [
    await make(ada, 'engine-one'),
    await make(bob, 'abacus', 2),
    await make(ada, 'engine-two'),
  ]
  const list = async (wish: Parameters<typeof admin.admin.instances>[0]) =>
    (await admin.admin.instances({ ...wish, limit: 100 })).items
      .filter(({ id }) => [a.id, b.id, c.id].includes(id))
      .map(({ name }) => name)
  expect(await list({})).toEqual(['engine-two', 'abacus', 'engine-one'])
  expect(await list({ sort: 'name', order: 'asc' })).toEqual(['abacus', 'engine-one', 'engine-two'])
  expect((await list({ sort: 'cost' }))[0]).toBe('abacus')
  expect(await list({ user_id: ada.id })).toEqual(['engine-two', 'engine-one'])
  expect(await list({ search: 'GINE-t' })).toEqual(['engine-two'])
  expect(await list({ search: 'bob@abacus' })).toEqual(['abacus'])
  expect(await list({ search: a.id })).toEqual(['engine-one'])
  expect(await list({ status: 'running' })).toEqual([])
  expect(await list({ status: 'stopped', region: 'US-East' })).toHaveLength(3)
  expect(await list({ region: 'EU-West' })).toEqual([])
  const paged = await walk(cursor =>
    admin.admin.instances({ sort: 'status', order: 'asc', cursor, limit: 1 }),
  )
  expect(new Set(idsOf({ items: paged })).size).toBe(paged.length)
  expect(idsOf({ items: paged })).toEqual(expect.arrayContaining([a.id, b.id, c.id]))
  await expect(bob.client.instances.get({ id: a.id })).rejects.toMatchObject({ code: 'not_found' })
  await expect(bob.client.admin.instances({})).rejects.toMatchObject({ code: 'not_allowed' })

  await ada.client.instances.delete({ id: a.id })
  await until(
    () => admin.admin.instance({ id: a.id }),
    each => each.status === 'terminated',
  )
  expect(await list({})).toEqual(['engine-two', 'abacus'])
  expect(await list({ status: 'terminated' })).toEqual(['engine-one'])
})

test('volumes of all users are listed with their instances, filtered, ordered and found', async () => {
  const make = (name: string, size_gb: number) =>
    ada.client.volumes.create({ name, size_gb, region: 'US-East' })
  const [small, large] = [await make('Notes', 10), await make('Cards', 20)]
  // A volume is made for half a minute, from whenever its driver has heard of it.
  for (const { id } of [small, large])
    await until(
      async () => {
        await server.advance(2_000)
        return ada.client.volumes.get({ id })
      },
      each => each.status === 'available',
    )
  const box = await ada.client.instances.create(a40({ name: 'holder', start: false }))
  await ada.client.volumes.attach({ id: small.id, instance_id: box.id })
  const list = async (wish: Parameters<typeof admin.admin.volumes>[0]) =>
    (await admin.admin.volumes(wish)).items.map(({ name }) => name)
  expect(await list({})).toEqual(['Cards', 'Notes'])
  expect(await list({ sort: 'size', order: 'asc' })).toEqual(['Notes', 'Cards'])
  expect(await list({ sort: 'name' })).toEqual(['Notes', 'Cards'])
  expect(await list({ status: 'in-use' })).toEqual(['Notes'])
  expect(await list({ status: 'available', user_id: ada.id })).toEqual(['Cards'])
  expect(await list({ user_id: bob.id })).toEqual([])
  expect(await list({ search: 'ote' })).toEqual(['Notes'])
  expect(await list({ search: 'lovelace' })).toEqual(['Cards', 'Notes'])
  expect(await admin.admin.volume({ id: small.id })).toMatchObject({
    user_email: 'ada.lovelace@engines.example',
    instance_id: box.id,
    instance_name: 'holder',
    instance_status: 'stopped',
    status: 'in-use',
    monthly_cost: '1.000000',
  })
  expect(
    idsOf({ items: await walk(cursor => admin.admin.volumes({ sort: 'size', cursor, limit: 1 })) }),
  ).toEqual([large.id, small.id])
})

test('bills of all users are one list: the lines of each, newest first, twenty a page', async () => {
  const users = await Promise.all([server.user('30'), server.user('30')])
  for (let n = 0; n < 12; n++)
    for (const { id } of users)
      await sql`select debit_wallet(${id}, 1000, ${`Line ${n}`}, ${newId()}, business_now())`.execute(
        server.owner,
      )
  const held = newId()
  await sql`insert into chain_deposit (id, chain, txid, log_index, user_id, block_number, block_at, from20, to20, amount_micro, state, confirmations)
    values (${held}, 'devnet', ${randomBytes(32)}, 0, ${users[0]!.id}, 9, business_now() + interval '1 s', ${randomBytes(20)}, ${randomBytes(20)}, 3000000, 'pending', 5)`.execute(
    server.owner,
  )
  const first = await admin.admin.billing({})
  expect(first.items).toHaveLength(20)
  expect(first.items[0]).toMatchObject({
    id: held,
    status: 'pending',
    user_email: `${users[0]!.id}@example.com`,
  })
  const all = await walk(cursor => admin.admin.billing({ cursor, limit: 7 }))
  for (const user of [...users, ada, bob]) {
    const own = idsOf({ items: await walk(cursor => user.client.billing.list({ cursor })) })
    expect(idsOf({ items: all.filter(({ user_id }) => user_id === user.id) })).toEqual(own)
    expect(
      idsOf({ items: await walk(cursor => admin.admin.billing({ user_id: user.id, cursor, limit: 5 })) }),
    ).toEqual(own)
    expect(idsOf({ items: await walk(cursor => admin.admin.billing({ search: user.id, cursor })) })).toEqual(
      own,
    )
  }
  const both = (await admin.admin.billing({ search: 'Line 7' })).items
  expect(both.map(({ description }) => description)).toEqual(['Line 7', 'Line 7'])
  expect(idsOf(await admin.admin.billing({ search: both[0]!.id }))).toEqual([both[0]!.id])
  expect(
    (await admin.admin.billing({ search: 'lovelace' })).items.every(({ user_id }) => user_id === ada.id),
  ).toBe(true)
  expect(idsOf(await admin.admin.billing({ status: 'pending', search: users[0]!.id }))).toEqual([held])
  expect(
    (await admin.admin.billing({ kind: 'credit', limit: 100 })).items.every(({ kind }) => kind === 'credit'),
  ).toBe(true)
  const today = new Date().toISOString().slice(0, 10)
  expect(
    (await walk(cursor => admin.admin.billing({ from: today, to: '2100-01-01', cursor, limit: 100 }))).length,
  ).toBeGreaterThan(20)
  expect(await walk(cursor => admin.admin.billing({ to: '2020-01-01', cursor }))).toEqual([])
  expect(await walk(cursor => admin.admin.billing({ from: '2100-01-01', cursor }))).toEqual([])

  // Total revenue is the absolute sum of all amounts, whoever's; what is there to be counted makes no difference.
  const sum = all.reduce((micro, { amount }) => micro + Math.abs(Math.round(Number(amount) * 1e6)), 0)
  const total = async () => Math.round(Number((await admin.admin.overview({})).revenue.total) * 1e6)
  expect(await total()).toBe(sum)
  await countMoney(server.owner)
  expect(await total()).toBe(sum)
  expect((await admin.admin.counts({})).billing).toEqual({ count: all.length, is_more: false })
  await sql`delete from chain_deposit where id = ${held}`.execute(server.owner)
})

test('counts say how many each list has, and how many a search finds in it', async () => {
  await ada.client.support.create({ title: 'Where is my engine?', content: 'I miss it.' })
  const totals = await admin.admin.counts({})
  expect(totals.users.count).toBe((await walk(cursor => admin.admin.users({ cursor, limit: 100 }))).length)
  expect(totals.instances.count).toBe((await walk(cursor => admin.admin.instances({ cursor }))).length)
  for (const search of ['lovelace', 'engine', bob.id, 'zzzz nothing']) {
    const counts = await admin.admin.counts({ search })
    const pages = {
      users: await walk(cursor => admin.admin.users({ search, cursor })),
      instances: await walk(cursor => admin.admin.instances({ search, cursor })),
      volumes: await walk(cursor => admin.admin.volumes({ search, cursor })),
      billing: await walk(cursor => admin.admin.billing({ search, cursor })),
      payments: await walk(cursor => admin.payments.list({ search, cursor })),
      tickets: await walk(cursor => admin.support.staffList({ search, cursor })),
    }
    expect(counts, search).toEqual(
      Object.fromEntries(
        Object.entries(pages).map(([name, { length }]) => [name, { count: length, is_more: false }]),
      ),
    )
  }
})

test('each list is a spreadsheet of what matches', async () => {
  const rows = async (path: string) => (await linesOf(path)).trim().split('\r\n')
  expect((await rows('/v1/admin/users/export?search=lovelace')).slice(1)).toEqual([
    expect.stringMatching(`^${ada.id},ada.lovelace@engines.example,Ada,Lovelace,user,`),
  ])
  expect((await rows('/v1/admin/instances/export?search=engine-two')).slice(1)).toEqual([
    expect.stringContaining('engine-two'),
  ])
  expect((await rows('/v1/admin/volumes/export?search=Notes')).slice(1)).toEqual([
    expect.stringContaining('Notes'),
  ])
  const lines = await walk(cursor => admin.admin.billing({ user_id: ada.id, cursor }))
  expect(await rows(`/v1/admin/billing/export?user_id=${ada.id}`)).toHaveLength(lines.length + 1)
  expect((await rows('/v1/admin/payments/export'))[0]).toContain('tx_hash')
})

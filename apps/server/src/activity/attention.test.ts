import { mostAttention } from '@ingot/contracts/activity'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { a40 } from '../instances/test-rows.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'

const server = useTestServer({ env: { INGOT_CREDIT: 'on', INGOT_CREDIT_DAYS: '30' } })
const db = () => server.services.database.kysely
const hour = 3_600_000

async function deploy({ client }: TestUser, changes: Parameters<typeof a40>[0] = {}): Promise<string> {
  const { id } = await client.instances.create(a40({ auto_shutdown_enabled: false, ...changes }))
  if (changes.start !== false)
    await until(
      () => client.instances.get({ id }),
      each => each.status === 'running',
    )
  return id
}
const needs = async ({ client }: TestUser) => (await client.activity.attention()).items
/** As a look or a driver would have left it. */
const set = (id: string, changes: string) =>
  sql`update gpu_instances set ${sql.raw(changes)} where id = ${id}`.execute(server.owner)

test('an account at rest needs nothing', async () => {
  const user = await server.user('200')
  await deploy(user)
  await deploy(user, { start: false })
  expect(await user.client.activity.attention()).toEqual({ items: [], total: 0 })
})

test('one that has been idle for half of its minutes is told with the time of its stop, until it is kept on', async () => {
  const user = await server.user('200')
  const id = await deploy(user, { name: 'notebook', auto_shutdown_enabled: true, auto_shutdown_minutes: 60 })
  const idleFor = (minutes: number) =>
    set(id, `looked_at = now() + interval '1 hour', busy_at = now() - interval '${minutes} minutes'`)
  await idleFor(29)
  expect(await needs(user)).toEqual([])
  await idleFor(31)
  const [item] = await needs(user)
  expect(item).toMatchObject({
    kind: 'idle',
    instance_id: id,
    instance_name: 'notebook',
    amount: '0.750000',
    others: 0,
  })
  expect(item!.until).toBe((await user.client.instances.get({ id })).auto_shutdown_at)
  expect(Date.parse(item!.until!) - Date.parse(item!.at)).toBe(hour)
  await user.client.instances.snooze({
    id,
    until: new Date(server.services.clock.now() + hour).toISOString(),
  })
  expect(await needs(user)).toEqual([])
})

test('a failure is told with its reason and the time of its event, the newest first, and goes when it starts', async () => {
  const user = await server.user('200')
  const [first, second] = [await deploy(user, { start: false }), await deploy(user, { start: false })]
  const failed = async (id: string, at: string) => {
    await set(id, `status_reason = 'start_failed', status_message = 'The image was not found.'`)
    await sql`insert into event (user_id, type, subject_id, data, at) values (${user.id}, 'instance.start_failed', ${id}, '{}', ${at})`.execute(
      db(),
    )
  }
  await failed(first, '2026-03-01T08:00:00Z')
  await failed(second, '2026-03-01T09:00:00Z')
  await set(first, `name = 'first'`)
  expect(await needs(user)).toMatchObject([
    { kind: 'start_failed', instance_id: second, at: '2026-03-01T09:00:00.000Z' },
    { kind: 'start_failed', instance_name: 'first', message: 'The image was not found.' },
  ])
  await set(second, `status_message = repeat('x', 5000)`)
  expect((await needs(user))[0]!.message).toHaveLength(500)
  await user.client.instances.start({ id: second })
  await until(
    () => needs(user),
    items => items.length === 1,
  )
})

test('money that ends within a day, and all that it stopped as one entry', async () => {
  const user = await server.user('7')
  const ids = [await deploy(user, { name: 'a' }), await deploy(user, { name: 'b' })]
  const [runway, ...rest] = await needs(user)
  expect(rest).toEqual([])
  const { empty_at } = await user.client.wallet.get()
  expect(runway).toMatchObject({ kind: 'runway', until: empty_at, amount: '1.500000', instance_id: null })
  await server.advance(10 * hour)
  await until(
    () => user.client.instances.summary(),
    ({ stopped_by_balance }) => stopped_by_balance === 2,
  )
  const [stopped] = await needs(user)
  expect(stopped).toMatchObject({ kind: 'balance_empty', others: 1 })
  expect(ids).toContain(stopped!.instance_id)
})

test('budgets that are used up: one that stops and one that only tells', async () => {
  const user = await server.user('50')
  const id = await deploy(user, { name: 'limited', budget: { limit: '1.5', at_limit: 'stop' } })
  await user.client.budgets.set({ instance_id: null, limit: '1', at_limit: 'warn' })
  await server.advance(5 * hour)
  await until(
    () => user.client.instances.get({ id }),
    ({ status }) => status === 'stopped',
  )
  const items = await until(
    () => needs(user),
    all => all.length === 2,
  )
  expect(items.map(({ kind }) => kind).toSorted()).toEqual(['budget_passed', 'budget_stopped'])
  expect(items.find(({ kind }) => kind === 'budget_stopped')).toMatchObject({
    instance_id: id,
    instance_name: 'limited',
    amount: '1.500000',
    until: null,
  })
  expect(items.find(({ kind }) => kind === 'budget_passed')).toMatchObject({
    instance_id: null,
    amount: '1.000000',
  })
})

test('deposits that are held below the minimum are one entry with their sum', async () => {
  const user = await server.user()
  const { walletAddress } = await user.client.wallet.usdtConfig()
  await server.faucet(walletAddress, '4')
  await server.faucet(walletAddress, '3')
  expect(
    await until(
      () => needs(user),
      all => all[0]?.others === 1,
    ),
  ).toMatchObject([{ kind: 'deposit_below_minimum', amount: '7.000000', others: 1, instance_id: null }])
})

test('credit is told in the last week of it', async () => {
  const user = await server.user()
  await server.faucet((await user.client.wallet.usdtConfig()).walletAddress, '50')
  const { credit } = await until(
    () => user.client.wallet.get(),
    wallet => wallet.credit !== null,
  )
  expect(await needs(user)).toEqual([])
  await server.advance(23.5 * 24 * hour)
  expect(await needs(user)).toMatchObject([
    { kind: 'credit_ends', amount: '10.000000', until: credit!.ends_at, instance_id: null },
  ])
})

test('what waits in the queue is told with its place, and why it is passed over', async () => {
  const user = await server.user('100')
  const id = await deploy(user, { start: false, name: 'waiting' })
  await sql`insert into instance_queue (id, instance_id, user_id, starts, held_micro, blocked, queued_at)
    values (gen_random_uuid(), ${id}, ${user.id}, true, 0, 'Your balance does not cover it.', now() + interval '1 day')`.execute(
    server.owner,
  )
  expect(await needs(user)).toMatchObject([
    {
      kind: 'queued',
      instance_id: id,
      place: 1,
      message: 'Your balance does not cover it.',
      amount: '0.000000',
    },
  ])
  await sql`delete from instance_queue where instance_id = ${id}`.execute(server.owner)
})

test('nobody sees what another needs, and of many the newest are told and all are counted', async () => {
  const [user, stranger] = [await server.user('200'), await server.user()]
  for (let n = 0; n < mostAttention + 5; n++) await deploy(user, { start: false, name: `box-${n}` })
  await sql`update gpu_instances set status_reason = 'lost', stopped_at = created_at where user_id = ${user.id}`.execute(
    server.owner,
  )
  const { items, total } = await user.client.activity.attention()
  expect(total).toBe(mostAttention + 5)
  expect(items).toHaveLength(mostAttention)
  expect(items[0]).toMatchObject({ kind: 'lost', instance_name: `box-${mostAttention + 4}` })
  expect(await stranger.client.activity.attention()).toEqual({ items: [], total: 0 })
})

test('what happened lately holds money that moved and no charges for usage', async () => {
  const user = await server.user('50')
  const id = await deploy(user, { name: 'seen' })
  await server.advance(3 * hour)
  await user.client.instances.stop({ id })
  const { items, is_more } = await until(
    () => user.client.activity.recent({}),
    answer => answer.items[0]?.action === 'instance_stopped',
  )
  expect(is_more).toBe(false)
  expect(items.map(({ action, message }) => action ?? message)).toEqual([
    'instance_stopped',
    'instance_started',
    expect.stringContaining('seen'),
    'instance_created',
    'test funds',
  ])
  expect(items.find(({ action }) => action === null)).toMatchObject({
    amount: '-0.750000',
    instance_id: id,
    instance_name: 'seen',
  })
  const short = await user.client.activity.recent({ limit: 2 })
  expect(short).toMatchObject({ items: items.slice(0, 2), is_more: true })
  await server.advance(30 * hour)
  expect((await user.client.activity.recent({})).items).toEqual([])
  expect((await user.client.activity.recent({ hours: 48 })).items).toHaveLength(5)
  const stranger = await server.user()
  expect((await stranger.client.activity.recent({ hours: 168 })).items).toEqual([])
})

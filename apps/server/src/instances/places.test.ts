import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import type { Driver, MachineSpec } from '@ingot/compute/driver'
import type { Fault } from '@ingot/compute/simulated/faults'
import type { Instance } from '@ingot/contracts/instances'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { a40 } from './test-rows.ts'

/** Two cards of one kind, three of another; and a host with room for two machines of any kind. */
const server = useTestServer({
  env: {
    INGOT_REGIONS:
      'US-East=simulated,US-West=simulated,EU-West=sandbox,Asia-Pacific=sandbox,Middle-East=simulated',
  },
  drivers: now => {
    const options = { dir: null, now, startMs: 0, stopMs: 0, restartStartMs: 0 }
    return new Map([
      ['simulated', seen(createSimulatedDriver({ ...options, faults, capacity: { A40: 2, T4: 3, L4: 8 } }))],
      ['sandbox', { ...createSimulatedDriver({ ...options, machines: 2 }), name: 'sandbox' }],
    ])
  },
})

/** What the driver was told of a machine at its last start. */
const told = new Map<string, Pick<MachineSpec, 'host' | 'cards'>>()
const faults: Fault[] = []
function seen(driver: Driver): Driver {
  return {
    ...driver,
    create(spec, key) {
      told.set(spec.instanceId, { host: spec.host, cards: spec.cards })
      return driver.create(spec, key)
    },
  }
}

const host = { region: 'EU-West' } as const
const reach = ({ client }: TestUser, id: string, status: Instance['status']) =>
  until(
    () => client.instances.get({ id }),
    each => each.status === status,
  )
const free = async ({ client }: TestUser, gpu: string) =>
  (await client.catalog.gpus()).items.find(each => each.name === gpu)!
const codesOf = (results: PromiseSettledResult<unknown>[]) =>
  results
    .map(result => (result.status === 'fulfilled' ? 'ok' : (result.reason as { code: string }).code))
    .toSorted()
async function clear(user: TestUser): Promise<void> {
  for (const { id } of (await user.client.instances.list()).items) await user.client.instances.delete({ id })
  await until(
    () => user.client.instances.list(),
    list => list.items.length === 0,
  )
}

test('of two customers’ deploys that race for the last place one wins, and the other is charged nothing', async () => {
  const users = [await server.user('25'), await server.user('25')]
  const deploys = () =>
    Promise.allSettled(users.map(({ client }) => client.instances.create(a40({ gpu_count: 2 }))))
  expect(codesOf(await deploys())).toEqual(['no_capacity', 'ok'])
  const balances = await Promise.all(users.map(async ({ client }) => (await client.wallet.get()).balance_usd))
  expect(balances.toSorted()).toEqual(['23.500000', '25.000000'])
  for (const user of users) await clear(user)
  expect(codesOf(await deploys())).toEqual(['no_capacity', 'ok'])
  for (const user of users) await clear(user)
})

test('of many at once on one pool, over its regions and cards, as many win as it has places', async () => {
  const user = await server.user('1000')
  const wishes = Array.from({ length: 12 }, (_, n) =>
    a40({
      region: ['EU-West', 'Asia-Pacific'][n % 2]!,
      gpu_type: ['A40', 'H100', 'T4'][n % 3]!,
      gpu_count: 8,
    }),
  )
  const results = await Promise.allSettled(wishes.map(wish => user.client.instances.create(wish)))
  expect(codesOf(results).filter(code => code === 'ok')).toHaveLength(2)
  expect(new Set(codesOf(results))).toEqual(new Set(['ok', 'no_capacity']))
  for (const { id } of (await user.client.instances.list()).items) await reach(user, id, 'running')
  await clear(user)
})

test('the catalogue offers what a deploy would get: one pool counts once, whatever it serves, and a place is gone with the deploy that took it', async () => {
  const user = await server.user('100')
  expect(await free(user, 'A40')).toMatchObject({
    free: { 'US-East': 2, 'US-West': 2, 'EU-West': 2, 'Asia-Pacific': 2, 'Middle-East': 2 },
    free_in_all: 4,
    largest: { 'US-East': 2, 'EU-West': 8 },
  })
  await user.client.instances.create(a40({ gpu_count: 2 }))
  await user.client.instances.create(a40({ ...host, gpu_type: 'H100' }))
  expect(await free(user, 'A40')).toMatchObject({
    free: { 'US-East': 0, 'US-West': 0, 'EU-West': 1, 'Asia-Pacific': 1 },
    free_in_all: 1,
    largest: { 'US-East': 0, 'EU-West': 8 },
  })
  await user.client.instances.create(a40({ ...host, gpu_count: 8 }))
  expect((await free(user, 'T4')).free).toMatchObject({ 'US-East': 3, 'EU-West': 0, 'Asia-Pacific': 0 })
  await expect(
    user.client.instances.create(a40({ region: 'Asia-Pacific', gpu_type: 'T4' })),
  ).rejects.toMatchObject({
    code: 'no_capacity',
    message: 'No T4 is free in Asia-Pacific right now. Nothing was charged.',
  })
  await expect(user.client.instances.create(a40({ gpu_type: 'V100' }))).rejects.toMatchObject({
    code: 'no_capacity',
  })
  await clear(user)
})

test('as stopped it can always be deployed; its start is refused while nothing is free, and charged nothing', async () => {
  const user = await server.user('100')
  const first = await user.client.instances.create(a40({ gpu_count: 2 }))
  await reach(user, first.id, 'running')
  const waiting = await user.client.instances.create(a40({ start: false }))
  expect(waiting.status).toBe('stopped')
  await user.client.instances.clone({ id: waiting.id, start: false })
  const before = (await user.client.wallet.get()).balance_usd
  await expect(user.client.instances.start({ id: waiting.id })).rejects.toMatchObject({
    code: 'no_capacity',
    message: 'No A40 is free in US-East right now. Nothing was charged.',
  })
  expect(await user.client.instances.get({ id: waiting.id })).toMatchObject({
    status: 'stopped',
    status_reason: null,
  })
  expect((await user.client.wallet.get()).balance_usd).toBe(before)

  await user.client.instances.stop({ id: first.id })
  await reach(user, first.id, 'stopped')
  await user.client.instances.start({ id: waiting.id })
  await reach(user, waiting.id, 'running')
  await clear(user)
})

test('a restart keeps its place while others deploy', async () => {
  const user = await server.user('100')
  const { id } = await user.client.instances.create(a40({ gpu_count: 2 }))
  await reach(user, id, 'running')
  const [restarted, ...others] = await Promise.allSettled([
    user.client.instances.restart({ id }),
    ...Array.from({ length: 5 }, () => user.client.instances.create(a40())),
  ])
  expect(restarted!.status).toBe('fulfilled')
  expect(new Set(codesOf(others))).toEqual(new Set(['no_capacity']))
  await until(
    () => user.client.activity.usageLogs({ instance_id: id }),
    logs => logs.items.filter(log => log.action === 'instance_started').length === 2,
  )
  await clear(user)
})

test('64 deploys at once on 8 cards: eight run, each with a card of its own, and the others were charged nothing', async () => {
  const user = await server.user('1000')
  const deploys = Array.from({ length: 64 }, () => user.client.instances.create(a40({ gpu_type: 'L4' })))
  const results = await Promise.allSettled(deploys)
  expect(codesOf(results).filter(code => code === 'ok')).toHaveLength(8)
  expect(codesOf(results).filter(code => code === 'no_capacity')).toHaveLength(56)
  const { items } = await user.client.instances.list()
  for (const { id } of items) await reach(user, id, 'running')
  expect(new Set(items.flatMap(({ id }) => told.get(id)!.cards)).size).toBe(8)
  expect(new Set(items.map(({ id }) => told.get(id)!.host))).toEqual(new Set(['simulated']))
  const { items: bill } = await user.client.billing.list({ limit: 100 })
  expect(bill.filter(entry => entry.instance_id !== null)).toHaveLength(8)
  await clear(user)
})

test('a refused start is kept with its reason, and every place with its cards; nobody else reads them', async () => {
  const user = await server.user('100')
  const first = await user.client.instances.create(a40({ gpu_count: 2 }))
  await reach(user, first.id, 'running')
  const { id } = await user.client.instances.create(a40({ start: false }))
  const places = async () => (await user.client.instances.placements({ id })).items
  expect(await places()).toEqual([])
  await expect(user.client.instances.start({ id })).rejects.toMatchObject({ code: 'no_capacity' })
  expect(await places()).toMatchObject([
    { outcome: 'refused', reason: 'taken', message: 'Every place was taken.', cards: [] },
  ])
  await user.client.instances.stop({ id: first.id })
  await reach(user, first.id, 'stopped')
  await user.client.instances.start({ id })
  await reach(user, id, 'running')
  const [placed] = await places()
  expect(placed).toMatchObject({ outcome: 'placed', reason: null })
  expect(placed!.cards).toEqual(told.get(id)!.cards)
  expect(placed!.cards).toHaveLength(1)
  await user.client.instances.stop({ id })
  await reach(user, id, 'stopped')
  expect((await places()).map(({ outcome }) => outcome)).toEqual(['released', 'placed', 'refused'])
  const other = await server.user('1')
  await expect(other.client.instances.placements({ id })).rejects.toMatchObject({ code: 'not_found' })
  await clear(user)
})

test('of an instance the last hundred are kept', async () => {
  const user = await server.user('100')
  const { id } = await user.client.instances.create(a40({ gpu_type: 'T4', gpu_count: 4, start: false }))
  for (let n = 0; n < 103; n++)
    await expect(user.client.instances.start({ id })).rejects.toMatchObject({ code: 'no_capacity' })
  const { rows } = await sql<{
    n: number
  }>`select count(*)::int as n from placement where instance_id = ${id}`.execute(server.owner)
  expect(rows[0]!.n).toBe(100)
  await clear(user)
})

test('what is paid in advance has its place before it starts, and while it is stopped, until the term is over or it is deleted', async () => {
  const user = await server.user('10000')
  const term = { billing_period: '3month', gpu_count: 2 } as const
  const { id } = await user.client.instances.create(a40({ ...term, start: false }))
  await expect(user.client.instances.create(a40())).rejects.toMatchObject({ code: 'no_capacity' })
  await expect(user.client.instances.create(a40({ ...term, start: false }))).rejects.toMatchObject({
    code: 'no_capacity',
  })
  await user.client.instances.start({ id })
  await reach(user, id, 'running')
  await user.client.instances.stop({ id })
  await reach(user, id, 'stopped')
  await expect(user.client.instances.create(a40())).rejects.toMatchObject({ code: 'no_capacity' })
  await server.advance(91 * 86_400_000)
  const late = await until(
    () => user.client.instances.create(a40()).catch(() => null),
    made => made !== null,
  )
  expect(late!.status).toBe('starting')
  const { items } = await user.client.instances.placements({ id })
  expect(items[0]).toMatchObject({ outcome: 'released', reason: 'term_ended' })
  expect(items.map(({ outcome }) => outcome)).toContain('kept')
  await clear(user)
  const second = await user.client.instances.create(a40({ ...term, start: false }))
  await user.client.instances.delete({ id: second.id })
  await until(
    () => free(user, 'A40'),
    gpu => gpu.free['US-East'] === 2,
  )
})

test('a stopped instance starts where its disk is, and is told when nothing is free there', async () => {
  const user = await server.user('100')
  const box = await user.client.instances.create(a40({ ...host }))
  await reach(user, box.id, 'running')
  await user.client.instances.stop({ id: box.id })
  await reach(user, box.id, 'stopped')
  const others = [a40({ ...host }), a40({ ...host, gpu_type: 'H100' })]
  for (const each of others) await user.client.instances.create(each)
  await expect(user.client.instances.start({ id: box.id })).rejects.toMatchObject({
    code: 'no_capacity',
    message: 'No A40 is free right now on the host that keeps this instance’s disk. Nothing was charged.',
  })
  await clear(user)
})

test('a start of which nobody knows whether it went through has its place until the driver has confirmed a stop', async () => {
  const user = await server.user('100')
  const { id } = await user.client.instances.create(a40({ gpu_count: 2, start: false }))
  faults.push({
    call: 'start',
    kind: 'fail',
    failure: 'transient',
    message: 'no answer',
    isApplied: true,
    times: 5,
    instanceId: id,
  })
  faults.push({
    call: 'stop',
    kind: 'fail',
    failure: 'transient',
    message: 'no answer',
    times: 2,
    instanceId: id,
  })
  await user.client.instances.start({ id })
  const pass = () => server.advance(60_000)
  const failed = async () => {
    await pass()
    return (await user.client.instances.get({ id })).status_reason
  }
  await until(failed, reason => reason === 'start_failed')
  expect((await free(user, 'A40')).free['US-East']).toBe(0)
  await until(
    async () => {
      await pass()
      return free(user, 'A40')
    },
    gpu => gpu.free['US-East'] === 2,
  )
  const { items } = await user.client.instances.placements({ id })
  expect(items.map(({ outcome }) => outcome)).toEqual([
    'released',
    'waiting',
    'waiting',
    'waiting',
    'waiting',
    'placed',
  ])
  expect(items[1]).toMatchObject({ reason: 'driver', message: 'no answer' })
  await clear(user)
})

test('a driver that does not answer sells nothing after two minutes, and again as soon as it does', async () => {
  const user = await server.user('100')
  const silence = () =>
    sql`update driver_inventory set seen_at = now() - interval '3 minutes' where driver = 'simulated'`.execute(
      server.owner,
    )
  faults.push({ call: 'inventory', kind: 'fail', failure: 'transient', times: Infinity })
  // The loop asks when the clock is moved on.
  await server.advance(1)
  await silence()
  await sql`select note_silence()`.execute(server.owner)
  expect((await free(user, 'A40')).free['US-East']).toBe(0)
  await expect(user.client.instances.create(a40())).rejects.toMatchObject({ code: 'no_capacity' })
  faults.length = 0
  await until(
    () => free(user, 'A40'),
    gpu => gpu.free['US-East'] === 2,
  )
})

test('administrators see each host with what is taken of it, and nobody else does', async () => {
  const admin = await server.user('100')
  await sql`insert into user_roles (user_id, role) values (${admin.id}, 'admin')`.execute(server.owner)
  await expect(admin.client.catalog.hosts()).resolves.toBeDefined()
  await admin.client.instances.create(a40())
  const { items, unpriced } = await admin.client.catalog.hosts()
  expect(unpriced).toEqual([])
  expect(items.find(({ driver }) => driver === 'simulated')).toMatchObject({
    name: 'simulated',
    state: 'ready',
    machines_taken: 1,
    cpu_cores_taken: 8,
    cards: [
      { gpu_type: 'A40', total: 2, free: 1 },
      { gpu_type: 'L4', total: 8, free: 8 },
      { gpu_type: 'T4', total: 3, free: 3 },
    ],
  })
  expect(items.find(({ driver }) => driver === 'sandbox')).toMatchObject({
    has_cards: false,
    machines: 2,
    disk_gb: null,
  })
  const [first] = (await admin.client.catalog.hosts({ limit: 1 })).items
  expect(items[0]).toEqual(first)
  await clear(admin)
})

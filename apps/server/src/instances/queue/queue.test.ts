import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import { type Instance } from '@ingot/contracts/instances'
import { maxQueued } from '@ingot/contracts/instance/places'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { deleteAccount } from '../../accounts/delete-account.ts'
import { type TestUser, until, useTestServer } from '../../product/test-server.ts'
import { listMail } from '../../worker/mail.ts'
import { a40 } from '../test-rows.ts'
import { serveQueue } from './serve-queue.ts'

/** Two A40s and three T4s. */
const server = useTestServer({
  env: {
    INGOT_REGIONS:
      'US-East=simulated,US-West=simulated,EU-West=simulated,Asia-Pacific=simulated,Middle-East=simulated',
  },
  drivers: now =>
    new Map([
      [
        'simulated',
        createSimulatedDriver({
          dir: null,
          now,
          startMs: 0,
          stopMs: 0,
          restartStartMs: 0,
          capacity: { A40: 2, T4: 3 },
        }),
      ],
    ]),
})
const users: TestUser[] = []
const user = async (usd: string) => {
  const made = await server.user(usd)
  users.push(made)
  return made
}
const queued = (changes: Parameters<typeof a40>[0] = {}) => a40({ when_full: 'queue', ...changes })
const reach = ({ client }: TestUser, id: string, status: Instance['status']) =>
  until(
    () => client.instances.get({ id }),
    each => each.status === status,
  )
const balance = async ({ client }: TestUser) => (await client.wallet.get()).balance_usd
const typesOf = async ({ client }: TestUser, id: string) =>
  (await client.instances.instanceEvents({ id, limit: 50 })).items.map(({ action }) => action)
afterEach(async () => {
  for (const { client } of users.splice(0)) {
    for (const { id } of (await client.instances.list()).items)
      await client.instances.delete({ id }).catch(() => {})
    await until(
      () => client.instances.list(),
      list => list.items.length === 0,
    )
  }
})
/** Both A40s run. */
async function fill(): Promise<{ owner: TestUser; box: Instance }> {
  const owner = await user('100')
  const box = await owner.client.instances.create(a40({ gpu_count: 2 }))
  await reach(owner, box.id, 'running')
  return { owner, box }
}

test('two customers queue for the last cards: order is kept, the money is set aside and not taken, and one is charged', async () => {
  const { owner, box } = await fill()
  const [first, second] = [await user('25'), await user('25')]
  const one = await first.client.instances.create(queued({ gpu_count: 2 }))
  const two = await second.client.instances.create(queued({ gpu_count: 2 }))
  expect(one).toMatchObject({
    status: 'stopped',
    status_reason: 'queued',
    queue: { position: 1, set_aside: '1.500000', is_new: true, blocked: null },
    prepaid_remaining: '0.000000',
    hourly_cost: '1.500000',
  })
  expect(two.queue?.position).toBe(2)
  expect(await first.client.instances.update({ id: one.id, name: 'renamed' })).toMatchObject({
    name: 'renamed',
  })
  await expect(
    first.client.budgets.set({ instance_id: one.id, limit: '5', at_limit: 'stop' }),
  ).rejects.toMatchObject({ code: 'invalid_state' })
  expect(await balance(first)).toBe('23.500000')
  expect((await first.client.billing.list()).items[0]).toMatchObject({
    kind: 'hold',
    status: 'pending',
    amount: '-1.500000',
  })

  await owner.client.instances.delete({ id: box.id })
  const runs = await reach(first, one.id, 'running')
  expect(runs).toMatchObject({ queue: null, status_reason: null, hourly_cost: '1.500000' })
  expect(await balance(first)).toBe('23.500000')
  const lines = (await first.client.billing.list()).items
  expect(lines.map(({ kind, status, amount }) => [kind, status, amount])).toEqual([
    ['deploy', 'paid', '-1.500000'],
    ['hold', 'refunded', '1.500000'],
    ['hold', 'refunded', '-1.500000'],
    ['credit', 'paid', '25.000000'],
  ])
  expect((await second.client.instances.get({ id: two.id })).queue?.position).toBe(1)
  expect(await balance(second)).toBe('23.500000')
  expect((await second.client.billing.list()).items.map(({ kind }) => kind)).toEqual(['hold', 'credit'])
  expect((await typesOf(first, one.id)).toReversed()).toEqual([
    'instance_queued',
    'instance_updated',
    'instance_created',
    'instance_turn_came',
    'instance_starting',
    'instance_started',
  ])
})

test('its owner is told by mail that it has its place, or that money is missing beside what is set aside', async () => {
  const { owner, box } = await fill()
  const [one, poor] = [await user('25'), await user('1.2')]
  const t4 = await poor.client.instances.create(a40({ gpu_type: 'T4' }))
  await reach(poor, t4.id, 'running')
  const blocked = await poor.client.instances.create(queued())
  await one.client.instances.create(queued({ name: 'patient' }))
  // Ten minutes of what runs are not left.
  await server.advance(4_200_000)
  // The worker may be looking at the same moment, and what it has in hand is left out here.
  await until(
    async () => {
      await serveQueue(server.services)
      return poor.client.instances.get({ id: blocked.id })
    },
    each => each.queue !== null && each.queue.blocked !== null,
  )
  await owner.client.instances.delete({ id: box.id })
  expect(await mailTo(one, 'place')).toMatchObject({
    subject: '"patient" has its place',
    text: expect.stringMatching(/it starts, and costs \$0\.75 per hour from when it runs/),
  })
  expect(await mailTo(poor, 'cannot start')).toMatchObject({
    subject: 'Instance "box" cannot start yet, and others pass',
    text: expect.stringMatching(/Insufficient funds in wallet/),
  })
})
const mailTo = (to: TestUser, subject: string) =>
  until(
    async () => {
      const { services } = server
      services.signals.send('notice')
      const all = await listMail(services.database.kysely, services.vault)
      return all.find(each => each.to === `${to.id}@example.com` && each.subject.includes(subject))
    },
    mail => mail !== undefined,
  )

test('two servers look at once: each that waits starts once, in its turn', async () => {
  const { owner, box } = await fill()
  const waiting: [TestUser, string][] = []
  for (let i = 0; i < 4; i++) {
    const one = await user('10')
    waiting.push([one, (await one.client.instances.create(queued())).id])
  }
  await owner.client.instances.delete({ id: box.id })
  await Promise.all([serveQueue(server.services), serveQueue(server.services), serveQueue(server.services)])
  for (const [each, id] of waiting.slice(0, 2)) await reach(each, id, 'running')
  await serveQueue(server.services)
  const left = await Promise.all(waiting.slice(2).map(([each, id]) => each.client.instances.get({ id })))
  expect(left.map(({ queue }) => queue?.position)).toEqual([1, 2])
  for (const [each] of waiting) {
    expect(await balance(each)).toBe('9.250000')
    expect((await each.client.billing.list({ kind: 'deploy' })).items.length).toBeLessThan(2)
  }
})

test('what nobody waits for is not kept from others', async () => {
  const { owner, box } = await fill()
  const later = await user('25')
  const waits = await later.client.instances.create(queued({ gpu_count: 2 }))
  const t4 = await later.client.instances.create(a40({ gpu_type: 'T4' }))
  expect(t4.status).toBe('starting')
  await owner.client.instances.delete({ id: box.id })
  await reach(later, waits.id, 'running')
})

test('leaving the queue gives everything back: what was never deployed is gone, what was stopped stays', async () => {
  const { owner, box } = await fill()
  const one = await user('25')
  const stopped = await one.client.instances.create(a40({ start: false }))
  expect(await balance(one)).toBe('24.250000')
  await expect(one.client.instances.leaveQueue({ id: stopped.id })).rejects.toMatchObject({
    code: 'invalid_state',
  })
  const waits = await one.client.instances.start({ id: stopped.id, when_full: 'queue' })
  // Its first hour is prepaid, which is more than ten minutes.
  expect(waits).toMatchObject({
    status: 'stopped',
    queue: { is_new: false, set_aside: '0.000000', position: 1 },
  })
  await expect(one.client.instances.update({ id: stopped.id, data_storage_gb: 200 })).rejects.toMatchObject({
    code: 'invalid_state',
  })
  expect(await one.client.instances.leaveQueue({ id: stopped.id })).toMatchObject({
    status: 'stopped',
    status_reason: null,
    queue: null,
  })
  const [deployed, clone] = [
    await one.client.instances.create(queued()),
    await one.client.instances.clone({ id: stopped.id, start: true, when_full: 'queue' }),
  ]
  expect(await balance(one)).toBe('22.750000')
  await one.client.instances.leaveQueue({ id: deployed.id })
  await one.client.instances.delete({ id: clone.id })
  expect(await balance(one)).toBe('24.250000')
  await until(
    () => one.client.instances.list(),
    list => list.items.length === 1,
  )
  await owner.client.instances.delete({ id: box.id })
  await until(
    () => owner.client.instances.list(),
    list => list.items.length === 0,
  )
  expect((await one.client.billing.list({ kind: 'deploy' })).items).toHaveLength(1)
})

test('start on one that waits tries now and keeps its turn; a start that waits runs in its turn', async () => {
  const { owner, box } = await fill()
  const one = await user('25')
  const stopped = await one.client.instances.create(a40({ start: false }))
  await one.client.instances.start({ id: stopped.id, when_full: 'queue' })
  await expect(one.client.instances.start({ id: stopped.id })).rejects.toMatchObject({ code: 'no_capacity' })
  expect(await one.client.instances.start({ id: stopped.id, when_full: 'queue' })).toMatchObject({
    queue: { position: 1 },
  })
  await owner.client.instances.stop({ id: box.id })
  await reach(one, stopped.id, 'running')
})

test('a term that waits is charged and begins when its place is free, at the price that was shown', async () => {
  const { owner, box } = await fill()
  const one = await user('2000')
  const waits = await one.client.instances.create(
    queued({ billing_period: '3month', start: false, on_term_end: 'stop', quoted_total: '535.000000' }),
  )
  expect(waits).toMatchObject({ paid_until: null, queue: { set_aside: '535.000000' } })
  await server.advance(86_400_000)
  const owned = await owner.client.instances.get({ id: box.id })
  expect(owned.status).not.toBe('starting')
  await owner.client.instances.delete({ id: box.id })
  const kept = await until(
    () => one.client.instances.get({ id: waits.id }),
    each => each.queue === null,
  )
  const days = (Date.parse(kept.paid_until!) - server.services.clock.now()) / 86_400_000
  expect(days).toBeCloseTo(90, 2)
  expect(kept).toMatchObject({ status: 'stopped', on_term_end: 'stop' })
  expect(await balance(one)).toBe('1465.000000')
  // Held from then on, not from when it began to wait.
  await one.client.instances.delete({ id: kept.id })
  expect(Number(await balance(one))).toBeGreaterThan(1999.9)
})

test('what is set aside is nobody else’s, and is not enough where something else runs the balance down: it says so, lets others pass, and starts after a deposit', async () => {
  const { owner, box } = await fill()
  const [one, later] = [await user('1.5'), await user('25')]
  const t4 = await one.client.instances.create(a40({ gpu_type: 'T4' }))
  await reach(one, t4.id, 'running')
  const waits = await one.client.instances.create(queued())
  expect(await balance(one)).toBe('0.400000')
  await expect(one.client.instances.create(a40({ gpu_type: 'T4', gpu_count: 2 }))).rejects.toMatchObject({
    code: 'insufficient_funds',
  })
  // What is left lasts less than ten minutes then.
  await server.advance(7_380_000)
  const passes = await later.client.instances.create(queued())
  await owner.client.instances.delete({ id: box.id })
  await reach(later, passes.id, 'running')
  const blocked = await until(
    () => one.client.instances.get({ id: waits.id }),
    each => each.queue?.blocked != null,
  )
  expect(blocked.queue).toMatchObject({ position: 1, set_aside: '0.750000' })
  expect(blocked.queue?.blocked).toMatch(/^Insufficient funds in wallet/)
  await sql`select credit_wallet(${one.id}, 5000000, 'more', gen_random_uuid(), ${server.services.clock.iso()})`.execute(
    server.owner,
  )
  await serveQueue(server.services)
  await reach(one, waits.id, 'running')
})

test('only so many of one customer wait at once, and none without the money', async () => {
  await fill()
  const [one, poor] = [await user('25'), await user('0.5')]
  for (let i = 0; i < maxQueued; i++) await one.client.instances.create(queued())
  await expect(one.client.instances.create(queued())).rejects.toMatchObject({ code: 'invalid_state' })
  expect((await one.client.instances.list()).items).toHaveLength(maxQueued)
  await expect(poor.client.instances.create(queued({ gpu_count: 4 }))).rejects.toMatchObject({
    code: 'no_capacity',
    message: 'No host in US-East has 4× A40, however long you wait. Nothing was charged.',
  })
  await expect(poor.client.instances.create(queued())).rejects.toMatchObject({ code: 'insufficient_funds' })
  await expect(
    one.client.instances.create(queued({ budget: { limit: '0.10', at_limit: 'stop' } })),
  ).rejects.toMatchObject({ code: 'budget_exceeded' })
  await expect(one.client.instances.create(a40())).rejects.toMatchObject({ code: 'no_capacity' })
})

test('an account that is deleted waits for nothing, and has back what was set aside', async () => {
  await fill()
  const one = await server.user('25')
  const { id } = await one.client.instances.create(queued())
  expect(await one.client.accounts.deletion()).toMatchObject({ balance_usd: '25.000000', blocked_by: [] })
  await deleteAccount(server.services, one.id, { by: one.id, balance: 'refund' })
  const { rows } = await sql<{ name: string; status: string; waits: boolean; owed: bigint }>`
    select name, status, exists (select from instance_queue where instance_id = ${id}) as waits,
      (select amount_micro from refund_request where user_id = ${one.id}) as owed
    from gpu_instances where id = ${id}`.execute(server.services.database.kysely)
  expect(rows[0]).toEqual({ name: 'deleted', status: 'terminated', waits: false, owed: 25_000_000n })
})

// The last: prices stand.
test('a price that rises meanwhile is not paid: it starts at the one that was shown', async () => {
  const { owner, box } = await fill()
  const one = await user('25')
  const waits = await one.client.instances.create(queued({ quoted_total: '0.750000' }))
  const { services } = server
  const tomorrow = services.clock.iso(80_000_000)
  await sql`select set_gpu_price('A40', ${tomorrow}, 9, 6000, 20000)`.execute(server.owner)
  await server.advance(80_001_000)
  await expect(one.client.instances.create(a40({ quoted_total: '0.750000' }))).rejects.toMatchObject({
    code: 'price_changed',
  })
  await owner.client.instances.delete({ id: box.id }).catch(() => {})
  expect(await reach(one, waits.id, 'running')).toMatchObject({ hourly_cost: '0.750000' })
  expect(await balance(one)).toBe('24.250000')
})

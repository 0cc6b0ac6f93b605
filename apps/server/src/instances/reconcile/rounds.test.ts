/** Rounds of looks: one call to a driver and one statement for all that runs, and what becomes of what a round missed. */
import { done, type Driver, failed, type Listed, type Observation } from '@ingot/compute/driver'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import type { Instance } from '@ingot/contracts/instances'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import type { DriverName } from '../../config.ts'
import { inTransaction } from '../../db/database.ts'
import { type TestUser, until, useTestServer } from '../../product/test-server.ts'
import { startLoop } from '../../worker/loop.ts'
import { a40, machinesOf, refOf } from '../test-rows.ts'
import { roundWork } from './round-work.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

let machines: Driver
/** Answers to `list` wait for it, with what was there when they were asked. */
let gate = Promise.withResolvers<void>()
/** What is said in place of what there is. */
let lie: { list?: () => readonly Listed[] | null; observe?: (look: Observation) => Observation } = {}
/** Machines that have ended from inside, by ref: on their driver's clock. */
const deaths = new Map<string, number>()
const asked = { list: 0, observe: 0 }
const server = useTestServer({
  drivers: now => {
    machines = createSimulatedDriver({ dir: null, now, startMs: 0, stopMs: 0, restartStartMs: 0 })
    const alive = <T extends Observation>(ref: string, look: T): T => {
      const at = deaths.get(ref)
      return at === undefined || !look.run
        ? look
        : { ...look, state: 'stopped', run: { ...look.run, end: { at, cause: 'inside' } } }
    }
    const driver: Driver = {
      ...machines,
      async list() {
        asked.list++
        const listed = lie.list ? lie.list() : (await machinesOf(machines)).map(each => alive(each.ref, each))
        await gate.promise
        return listed ? done(listed) : failed('transient', 'away')
      },
      async observe(ref) {
        asked.observe++
        const answer = await machines.observe(ref)
        if (answer.kind !== 'done') return answer
        return done(lie.observe ? lie.observe(answer.value) : alive(ref, answer.value))
      },
    }
    return new Map<DriverName, Driver>([['simulated', driver]])
  },
})
beforeEach(() => {
  gate.resolve()
  lie = {}
  deaths.clear()
})

const db = () => server.services.database.kysely
const reach = ({ client }: TestUser, id: string, status: Instance['status']) =>
  until(
    () => client.instances.get({ id }),
    each => each.status === status,
  )
async function running(user: TestUser): Promise<Instance> {
  const { id } = await user.client.instances.create(a40({ auto_shutdown_enabled: false }))
  return reach(user, id, 'running')
}
/** Moves the clock on without waiting for anything. */
async function pass(ms: number): Promise<void> {
  await server.services.clock.advance(db(), ms)
  server.services.signals.send('clock')
}
/** A whole round that was asked for from now on. */
async function round(): Promise<void> {
  const from = server.services.clock.iso()
  await until(
    async () => {
      const { rows } = await sql`select 1 from driver_look where looked_at > ${from}`.execute(db())
      // Again and again: one that was in hand when it was asked for says itself when the next is due.
      if (!rows.length) {
        await sql`update driver_round set due_at = ${from} where lock_token is null`.execute(db())
        server.services.signals.send('driver_round')
      }
      return rows.length
    },
    n => n > 0,
  )
}
const missed = async () => (await db().selectFrom('missed_run').selectAll().execute()).length
const micro = (text: string) => BigInt(text.replace('.', ''))
const costOf = (ms: number) => (750_000n * BigInt(ms)) / BigInt(hour)
async function paid(user: TestUser, { id }: { id: string }): Promise<bigint> {
  const { items } = await user.client.billing.list({ limit: 100 })
  const moved = items.filter(entry => entry.instance_id === id).map(entry => micro(entry.amount))
  const { prepaid_remaining } = await user.client.instances.get({ id })
  return -moved.reduce((sum, amount) => sum + amount, 0n) - micro(prepaid_remaining)
}
const ran = ({ started_at, stopped_at }: Instance) => Date.parse(stopped_at!) - Date.parse(started_at!)

test('commands are carried out while a driver does not answer a round', async () => {
  const user = await server.user('25')
  await round()
  gate = Promise.withResolvers()
  const before = asked.list
  await pass(minute)
  await until(
    async () => asked.list,
    n => n > before,
  )
  const box = await running(user)
  await user.client.instances.restart({ id: box.id })
  await reach(user, box.id, 'running')
  await user.client.instances.stop({ id: box.id })
  await reach(user, box.id, 'stopped')
  await user.client.instances.delete({ id: box.id })
  await until(
    async () => (await machinesOf(machines)).map(machine => machine.instanceId),
    ids => !ids.includes(box.id),
  )
})

test('a round that was asked for before a start had finished does not judge it', async () => {
  const user = await server.user('25')
  await round()
  gate = Promise.withResolvers()
  const { list, observe } = asked
  await pass(minute)
  await until(
    async () => asked.list,
    n => n > list,
  )
  const box = await running(user)
  const from = server.services.clock.iso()
  gate.resolve()
  await until(
    async () => (await sql`select 1 from driver_round where due_at > ${from}`.execute(db())).rows.length,
    n => n > 0,
  )
  expect(await missed()).toBe(0)
  expect(asked.observe).toBe(observe)
  expect(await user.client.instances.get({ id: box.id })).toMatchObject({ status: 'running' })
})

test('two servers make one round between them', async () => {
  const other = startLoop(roundWork(server.services), server.services)
  for (let n = 0; n < 3; n++) {
    const { list } = asked
    await server.advance(30 * second)
    expect(asked.list).toBe(list + 1)
  }
  await other.stop()
})

test('a run that died between two rounds ends at its death, by the driver’s clock', async () => {
  const user = await server.user('25')
  const box = await running(user)
  for (let n = 0; n < 3; n++) await server.advance(30 * second)
  const diedAt = server.services.clock.now() + 10 * second
  deaths.set(await refOf(machines, box.id), diedAt)
  await server.advance(30 * second)
  const stopped = await reach(user, box.id, 'stopped')
  expect(stopped).toMatchObject({ status_reason: 'ended' })
  expect(stopped.status_message).toMatch(/You pay up to that moment/)
  expect(Math.abs(Date.parse(stopped.stopped_at!) - diedAt)).toBeLessThan(50)
  expect(await paid(user, box)).toBe(costOf(ran(stopped)))
})

test('a run that died, and is asked to stop before a round misses it, ends at its death as well', async () => {
  const user = await server.user('25')
  const box = await running(user)
  await server.advance(30 * second)
  const diedAt = server.services.clock.now() + 10 * second
  deaths.set(await refOf(machines, box.id), diedAt)
  await pass(20 * second)
  await user.client.instances.stop({ id: box.id })
  const stopped = await reach(user, box.id, 'stopped')
  await until(
    () => user.client.instances.get({ id: box.id }),
    each => Math.abs(Date.parse(each.stopped_at!) - diedAt) < 50,
  )
  expect(stopped.status_reason).toBeNull()
})

test('a driver that says it holds nothing is not believed: each run is looked at by itself, and all of it is paid for', async () => {
  const user = await server.user('25')
  const boxes = [await running(user), await running(user), await running(user)]
  lie = { list: () => [] }
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from gpu_instances where status = 'running'`.execute(db())
  for (let n = 0; n < 10; n++) {
    const { observe } = asked
    await server.advance(30 * second)
    expect(asked.observe).toBe(observe + rows[0]!.n)
  }
  lie = {}
  await round()
  expect(await missed()).toBe(0)
  for (const box of boxes) {
    expect(await user.client.instances.get({ id: box.id })).toMatchObject({ status: 'running' })
    await user.client.instances.stop({ id: box.id })
    const stopped = await reach(user, box.id, 'stopped')
    expect(ran(stopped)).toBeGreaterThan(5 * minute)
    expect(await paid(user, box)).toBe(costOf(ran(stopped)))
  }
})

test('a run whose name is not known yet is missed like any other, and named when it is there', async () => {
  const user = await server.user('25')
  const [dead, alive] = [await running(user), await running(user)]
  await server.advance(30 * second)
  // As a version that knew no runs left them behind.
  await sql`update gpu_instances set run_id = null, run_ms = null where id in (${dead.id}, ${alive.id})`.execute(
    db(),
  )
  await machines.destroy(await refOf(machines, dead.id))
  await round()
  expect(await reach(user, dead.id, 'stopped')).toMatchObject({ status_reason: 'lost' })
  const { run_id } = await until(
    () =>
      db().selectFrom('gpu_instances').select('run_id').where('id', '=', alive.id).executeTakeFirstOrThrow(),
    row => row.run_id !== null,
  )
  expect(run_id).toBeTruthy()
  expect(await user.client.instances.get({ id: alive.id })).toMatchObject({ status: 'running' })
})

test('a driver that was away for ten minutes is asked again and again, and the gap is charged as far as the wallet covers it', async () => {
  const rich = await server.user('25')
  const poor = await server.user('0.75')
  const boxes = { rich: await running(rich), poor: await running(poor) }
  await server.advance(55 * minute)
  lie = { list: () => null }
  for (let n = 1; n <= 20; n++) {
    await pass(30 * second)
    await until(
      () => db().selectFrom('driver_round').select('attempts').executeTakeFirstOrThrow(),
      ({ attempts }) => attempts >= n,
    )
  }
  expect(Number((await rich.client.wallet.get()).balance_usd)).toBe(24.25)
  expect(await rich.client.instances.get({ id: boxes.rich.id })).toMatchObject({ status: 'running' })
  expect(await poor.client.instances.get({ id: boxes.poor.id })).toMatchObject({ status: 'running' })
  lie = {}
  await pass(30 * second)
  const stopped = await reach(poor, boxes.poor.id, 'stopped')
  expect(stopped).toMatchObject({ status_reason: 'balance_empty' })
  expect(await paid(poor, boxes.poor)).toBe(750_000n)
  await until(
    () => paid(rich, boxes.rich),
    micros => micros >= costOf(65 * minute),
  )
})

test('a settlement that goes on while the driver comes back does not lose the gap', async () => {
  const user = await server.user('25')
  const box = await running(user)
  lie = { list: () => null }
  await pass(10 * minute)
  const { owner, services } = server
  const settled = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  // It has read the old horizon, so it sees nothing more to come.
  const settlement = inTransaction(owner, async tx => {
    await sql`update wallets set due_at = null where user_id = ${user.id}`.execute(tx)
    settled.resolve()
    await end.promise
  })
  await settled.promise
  const at = services.clock.iso()
  const look = sql`select note_looks('simulated', ${at}, '{}', '{}', ${at})`.execute(owner)
  await until(
    async () =>
      (await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock'`.execute(owner)).rows.length,
    n => n > 0,
  )
  end.resolve()
  await Promise.all([settlement, look])
  await until(
    () =>
      owner.selectFrom('wallets').select('due_at').where('user_id', '=', user.id).executeTakeFirstOrThrow(),
    ({ due_at }) => due_at !== null && due_at > at,
  )
  lie = {}
  await user.client.instances.delete({ id: box.id })
})

test('a machine that is up while its instance is stopped is stopped, and nothing is said or charged', async () => {
  const user = await server.user('25')
  const box = await running(user)
  const ref = await refOf(machines, box.id)
  lie = { list: () => [], observe: look => ({ ...look, state: 'gone', run: null }) }
  await server.advance(30 * second)
  const lost = await reach(user, box.id, 'stopped')
  expect(lost).toMatchObject({ status_reason: 'lost' })
  expect(await machines.observe(ref)).toMatchObject({ value: { state: 'running' } })
  const told = async () => (await user.client.activity.usageLogs()).items.length
  const before = await told()
  lie = {}
  await round()
  await until(
    () => machines.observe(ref),
    answer => answer.kind === 'done' && answer.value.state === 'stopped',
  )
  await round()
  expect(await user.client.instances.get({ id: box.id })).toEqual({ ...lost, updated_at: expect.any(String) })
  expect(await told()).toBe(before)
  await user.client.instances.start({ id: box.id })
  await reach(user, box.id, 'running')
})

/** What is charged while nobody looks, and what a look that comes late makes of it. */
import { done, type Driver, type Observation, type RunEnd } from '@ingot/compute/driver'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import type { Instance } from '@ingot/contracts/instances'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { deleteAccount } from '../../accounts/delete-account.ts'
import type { DriverName } from '../../config.ts'
import { auditLedger } from '../../ledger/audit.ts'
import { type TestUser, until, useTestServer } from '../../product/test-server.ts'
import { a40, machinesOf, refOf } from '../test-rows.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The machines as they are, also while the server's looks do not get through. */
let machines: Driver
/** Looks wait for it: closed, the driver cannot be reached. */
let gate = Promise.withResolvers<void>()
/** Runs that have ended by themselves, by instance: how, and by how much later than they began. */
const ends = new Map<string, { cause: RunEnd['cause']; ranMs: number | null }>()
const server = useTestServer({
  drivers: now => {
    machines = createSimulatedDriver({ dir: null, now, startMs: 0, stopMs: 0, restartStartMs: 0 })
    const ended = <T extends Observation>(look: T, instanceId: string | undefined): T => {
      const end = ends.get(instanceId ?? '')
      if (!end || !look.run) return look
      const at = end.ranMs === null ? null : look.run.beganAt + end.ranMs
      return { ...look, state: 'stopped', run: { ...look.run, end: { at, cause: end.cause } } }
    }
    const looked: Driver = {
      ...machines,
      async observe(ref) {
        await gate.promise
        const answer = await machines.observe(ref)
        const instanceId = (await machinesOf(machines)).find(machine => machine.ref === ref)?.instanceId
        return answer.kind === 'done' ? done(ended(answer.value, instanceId)) : answer
      },
      async list() {
        await gate.promise
        return done((await machinesOf(machines)).map(each => ended(each, each.instanceId)))
      },
    }
    return new Map<DriverName, Driver>([['simulated', looked]])
  },
})
beforeEach(() => {
  gate = Promise.withResolvers()
  gate.resolve()
  ends.clear()
})

const micro = (text: string) => BigInt(text.replace('.', ''))
const reach = ({ client }: TestUser, id: string, status: Instance['status']) =>
  until(
    () => client.instances.get({ id }),
    each => each.status === status,
  )
async function running(user: TestUser): Promise<Instance> {
  const { id } = await user.client.instances.create(a40({ auto_shutdown_enabled: false }))
  return reach(user, id, 'running')
}
/** Moves the clock on while no look gets through, and lets everything be settled that falls due. */
async function away({ id }: { id: string }, ms: number): Promise<void> {
  gate = Promise.withResolvers()
  const { database, clock, signals } = server.services
  await clock.advance(database.kysely, ms)
  signals.send('clock')
  await until(
    async () =>
      (
        await sql<{ n: number }>`select count(*)::int as n from wallets
          where user_id = ${id} and due_at <= ${clock.iso()}`.execute(database.kysely)
      ).rows[0]!.n,
    n => n === 0,
  )
}
/** What the instance has cost so far, returns taken off. */
async function paid(user: TestUser, { id }: { id: string }): Promise<bigint> {
  const { items } = await user.client.billing.list({ limit: 100 })
  const moved = items.filter(entry => entry.instance_id === id).map(entry => micro(entry.amount))
  const { prepaid_remaining } = await user.client.instances.get({ id })
  return -moved.reduce((sum, amount) => sum + amount, 0n) - micro(prepaid_remaining)
}
const costOf = (ms: number) => (750_000n * BigInt(ms)) / BigInt(hour)
const ran = ({ started_at, stopped_at }: Instance) => Date.parse(stopped_at!) - Date.parse(started_at!)

test('machines that died while nobody looked cost nothing beyond the last look, and what was taken beyond it comes back', async () => {
  const user = await server.user('100')
  const boxes = [await running(user), await running(user), await running(user)]
  for (const box of boxes) await machines.destroy(await refOf(machines, box.id))
  await away(user, 10 * hour)
  for (const box of boxes) expect(await paid(user, box)).toBeLessThanOrEqual(costOf(3 * minute))
  expect(Number((await user.client.wallet.get()).balance_usd)).toBeGreaterThan(97.7)

  gate.resolve()
  for (const box of boxes) {
    const lost = await reach(user, box.id, 'stopped')
    expect(lost).toMatchObject({ status_reason: 'lost' })
    expect(ran(lost)).toBeLessThan(minute)
    expect(await paid(user, box)).toBe(costOf(ran(lost)))
    expect(lost.status_message).toMatch(/last seen/)
  }
  const back = (await user.client.billing.list({ status: 'refunded' })).items
  expect(back.map(entry => entry.instance_id).toSorted()).toEqual(boxes.map(box => box.id).toSorted())
  expect(back[0]!.description).toMatch(/^box: usage returned, \d+\.\d{3} s after its machine was last seen/)
})

test('a machine that ran on while nobody looked pays for all of it at the first look that finds it', async () => {
  const user = await server.user('100')
  const box = await running(user)
  await away(user, 10 * hour)
  expect(await paid(user, box)).toBeLessThanOrEqual(costOf(3 * minute))
  expect(await user.client.wallet.get()).toMatchObject({ empty_at: null, drawing_per_hour: '0.000000' })
  gate.resolve()
  await until(
    () => paid(user, box),
    micros => micros >= costOf(10 * hour),
  )
  expect((await user.client.wallet.get()).drawing_per_hour).toBe('0.750000')
  await user.client.instances.stop({ id: box.id })
  const stopped = await reach(user, box.id, 'stopped')
  expect(await paid(user, box)).toBe(costOf(ran(stopped)))
})

test('a gap is charged as far as the wallet covers it, and then the instance stops for the empty balance', async () => {
  const user = await server.user('2')
  const box = await running(user)
  await away(user, 10 * hour)
  gate.resolve()
  const stopped = await reach(user, box.id, 'stopped')
  expect(stopped).toMatchObject({ status_reason: 'balance_empty' })
  expect(await user.client.wallet.get()).toMatchObject({ balance_usd: '0.000000' })
  expect(await paid(user, box)).toBe(2_000_000n)
})

test.each(['stop', 'restart', 'delete'] as const)(
  'a %s that comes before the first look still pays for the gap, once it is known that the machine ran on',
  async verb => {
    const user = await server.user('100')
    const box = await running(user)
    await away(user, 10 * hour)
    await user.client.instances[verb]({ id: box.id })
    expect(100 - Number((await user.client.wallet.get()).balance_usd)).toBeLessThan(0.8)
    gate.resolve()
    await until(
      async () => 100 - Number((await user.client.wallet.get()).balance_usd),
      spent => spent >= 7.5 && spent < 8.3,
    )
  },
)

test.each([
  ['stop', /^Instance stopped but couldn't charge \$6\.8[5-9] for usage/],
  ['restart', /^Couldn't charge \$6\.8[5-9] for usage before restart/],
] as const)(
  'a %s before the first look says what of the gap the wallet did not cover',
  async (verb, words) => {
    const user = await server.user('1.4')
    const box = await running(user)
    await away(user, 11 * hour)
    await user.client.instances[verb]({ id: box.id })
    gate.resolve()
    const stopped = await reach(user, box.id, 'stopped')
    expect(stopped).toMatchObject({ status_reason: 'balance_empty' })
    expect(stopped.status_message).toMatch(words)
    expect(await paid(user, box)).toBe(1_400_000n)
  },
)

test('a stop of a machine that had died before it ends at the death, and the rest comes back', async () => {
  const user = await server.user('100')
  const box = await running(user)
  ends.set(box.id, { cause: 'inside', ranMs: 20 * second })
  await away(user, 100 * second)
  await user.client.instances.stop({ id: box.id })
  expect(await paid(user, box)).toBeGreaterThanOrEqual(costOf(100 * second))
  gate.resolve()
  const stopped = await reach(user, box.id, 'stopped')
  expect(Math.abs(ran(stopped) - 20 * second)).toBeLessThan(second)
  expect(await paid(user, box)).toBe(costOf(ran(stopped)))
})

test('whoever ends the machine from inside pays for all that ran, each time, also when nobody looked', async () => {
  const user = await server.user('100')
  let box = await running(user)
  for (const awayMs of [25 * second, 10 * hour]) {
    const before = await paid(user, box)
    ends.set(box.id, { cause: 'inside', ranMs: 20 * second })
    await away(user, awayMs)
    gate.resolve()
    const stopped = await reach(user, box.id, 'stopped')
    expect(stopped).toMatchObject({ status_reason: 'ended' })
    expect(stopped.status_message).toMatch(/from inside/)
    expect(Math.abs(ran(stopped) - 20 * second)).toBeLessThan(second)
    const cost = (await paid(user, box)) - before
    expect(Math.abs(Number(cost - costOf(ran(stopped))))).toBeLessThanOrEqual(1)
    ends.clear()
    await machines.stop(await refOf(machines, box.id))
    await user.client.instances.start({ id: box.id })
    box = await reach(user, box.id, 'running')
  }
})

test('a run that is not ours is ended, and ours ended at its last look', async () => {
  const user = await server.user('100')
  const box = await running(user)
  await away(user, 5 * minute)
  const ref = await refOf(machines, box.id)
  await machines.stop(ref)
  await machines.start(ref)
  gate.resolve()
  const stopped = await reach(user, box.id, 'stopped')
  expect(stopped).toMatchObject({ status_reason: 'lost' })
  expect(ran(stopped)).toBeLessThan(minute)
  expect(await paid(user, box)).toBe(costOf(ran(stopped)))
  expect(await machines.observe(ref)).toMatchObject({ value: { state: 'stopped' } })
})

test('after an account with nothing in its wallet was deleted, the last look returns nothing to it', async () => {
  const user = await server.user('0.75')
  const box = await running(user)
  await server.advance(hour - 30 * second)
  ends.set(box.id, { cause: 'inside', ranMs: hour - 20 * second })
  // The hour ends unseen, and the balance with it.
  await away(user, minute)
  expect(await user.client.instances.get({ id: box.id })).toMatchObject({ status_reason: 'balance_empty' })
  await deleteAccount(server.services, user.id, { by: user.id, balance: null })
  gate.resolve()
  const { kysely } = server.services.database
  await until(
    () => kysely.selectFrom('gpu_instances').select('status').where('id', '=', box.id).executeTakeFirst(),
    row => row?.status === 'terminated',
  )
  expect(await auditLedger(kysely)).toEqual([])
})

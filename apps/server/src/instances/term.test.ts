/** The end of an upfront term: chosen, told before, exact; and what makes up for time that was paid for and was not to be had. */
import type { Fault } from '@ingot/compute/simulated/faults'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import { done, type Driver } from '@ingot/compute/driver'
import type { Instance } from '@ingot/contracts/instances'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import type { DriverName } from '../config.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { listMail } from '../worker/mail.ts'
import { countDown } from './countdowns.ts'
import { a40, machinesOf, refOf } from './test-rows.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

let machines: Driver
const faults: Fault[] = []
/** Machines that have ended from inside, by ref, on their driver's clock. */
const deaths = new Map<string, number>()
const server = useTestServer({
  drivers: now => {
    machines = createSimulatedDriver({ dir: null, now, startMs: 0, stopMs: 0, restartStartMs: 0, faults })
    const driver: Driver = {
      ...machines,
      async observe(ref) {
        const answer = await machines.observe(ref)
        const at = deaths.get(ref)
        if (answer.kind !== 'done' || at === undefined || !answer.value.run) return answer
        return done({
          ...answer.value,
          state: 'stopped',
          run: { ...answer.value.run, end: { at, cause: 'inside' } },
        })
      },
      async list() {
        const answer = await machines.list()
        if (answer.kind !== 'done') return answer
        return done(answer.value.map(each => (deaths.has(each.ref) ? { ...each, state: 'stopped' } : each)))
      },
    }
    return new Map<DriverName, Driver>([['simulated', driver]])
  },
})
beforeEach(() => {
  faults.length = 0
  deaths.clear()
})

const db = () => server.services.database.kysely
const clock = () => server.services.clock
const reach = ({ client }: TestUser, id: string, status: Instance['status']) =>
  until(
    () => client.instances.get({ id }),
    each => each.status === status,
  )
const term = (changes: Parameters<typeof a40>[0] = {}) =>
  a40({ billing_period: '3month', auto_shutdown_enabled: false, ...changes })
async function running(user: TestUser, input = term()): Promise<Instance> {
  const { id } = await user.client.instances.create(input)
  return reach(user, id, 'running')
}
/** As if everything had been looked at all along up to then. */
const seenUntil = (ms: number) =>
  sql`update look_source set observed_at = ${new Date(ms).toISOString()}`.execute(server.owner)
async function passTo(ms: number): Promise<void> {
  await seenUntil(ms)
  await server.advance(Math.max(0, ms - clock().now()))
}
async function mails(user: TestUser) {
  await countDown(server.services)
  await until(
    async () =>
      (
        await sql<{
          n: number
        }>`select count(*)::int as n from notice where user_id = ${user.id} and due_at <= now()`.execute(db())
      ).rows[0]!.n,
    n => n === 0,
  )
  const all = await listMail(db(), server.services.vault)
  return all.filter(each => each.to === `${user.id}@example.com`).toReversed()
}
const lines = async (id: string) =>
  (
    await sql<{ to_at: string; amount_micro: bigint }>`
      select to_at, amount_micro from usage_line where meter_id = ${id} order by id`.execute(db())
  ).rows
const endOf = (each: Instance) => Date.parse(each.paid_until!)

test.each(['the timer', 'a stop that comes first'])(
  'what is to stop at the end of its term stops there to the millisecond, and costs nothing more: found by %s',
  async finder => {
    const user = await server.user('600')
    const { id, paid_until } = await running(user, term({ on_term_end: 'stop' }))
    const before = (await user.client.wallet.get()).balance_usd
    const later = Date.parse(paid_until!) + 5 * hour
    if (finder === 'the timer') await passTo(later)
    else {
      // The worker is not told that time has passed.
      await seenUntil(later)
      await clock().advance(db(), later - clock().now())
      await user.client.instances.stop({ id })
      server.services.signals.send('clock')
    }
    const ended = await reach(user, id, 'stopped')
    expect(ended).toMatchObject({
      status_reason: 'term_over',
      stopped_at: paid_until,
      prepaid_remaining: '0.000000',
      status_message: expect.stringContaining('its term ended') as string,
    })
    const all = await lines(id)
    expect(all.at(-1)!.to_at).toBe(paid_until)
    expect(all.every(({ amount_micro }) => amount_micro === 0n)).toBe(true)
    expect((await user.client.wallet.get()).balance_usd).toBe(before)
    expect((await mails(user)).map(({ subject }) => subject)).toContain(
      'Instance "box" stopped: the upfront term has ended',
    )
    const stops = (await user.client.activity.usageLogs({ action: 'instance_stopped' })).items
    expect(stops.map(({ message }) => message)).toEqual(['Its term ended, and it was to stop then.'])
    // Started again it costs by the hour.
    await user.client.instances.start({ id })
    await reach(user, id, 'running')
    expect(Number((await user.client.wallet.get()).spending_per_hour)).toBeGreaterThan(0)
  },
)

test('the choice is made at the deploy, changed until the term ends, copied by a clone, and none of what is billed hourly', async () => {
  const user = await server.user('1200')
  const { client } = user
  await expect(client.instances.create(a40({ on_term_end: 'stop' }))).rejects.toMatchObject({
    code: 'validation_failed',
    fields: { on_term_end: expect.any(String) as string },
  })
  const hourly = await running(user, a40({ auto_shutdown_enabled: false, name: 'hourly' }))
  await expect(client.instances.update({ id: hourly.id, on_term_end: 'stop' })).rejects.toMatchObject({
    code: 'invalid_state',
  })
  const { id, on_term_end, paid_until } = await running(user)
  expect(on_term_end).toBe('hourly')
  expect(await client.instances.update({ id, on_term_end: 'stop' })).toMatchObject({ on_term_end: 'stop' })
  expect(await client.instances.update({ id, name: 'other' })).toMatchObject({ on_term_end: 'stop' })
  expect(await client.instances.clone({ id, billing_period: '3month' })).toMatchObject({
    on_term_end: 'stop',
  })
  expect(await client.instances.update({ id, on_term_end: 'hourly' })).toMatchObject({
    on_term_end: 'hourly',
  })
  await client.instances.stop({ id: hourly.id })
  await passTo(Date.parse(paid_until!) + hour)
  expect(await client.instances.get({ id })).toMatchObject({ status: 'running' })
  await expect(client.instances.update({ id, on_term_end: 'stop' })).rejects.toMatchObject({
    code: 'invalid_state',
  })
})

test('one that is to stop at the end of its term and is just starting then does not run on', async () => {
  const user = await server.user('600')
  faults.push({ call: 'start', kind: 'not_yet', times: 1_000 })
  const { id, paid_until } = await user.client.instances.create(term({ on_term_end: 'stop' }))
  await server.advance(Date.parse(paid_until!) - clock().now() + hour)
  faults.length = 0
  expect(await reach(user, id, 'stopped')).toMatchObject({ status_reason: 'term_over' })
  expect(await lines(id)).toEqual([])
})

test('an empty wallet stops nothing that is prepaid: a term runs on, and an hour to its end', async () => {
  const user = await server.user('537.5')
  const paid = await running(user)
  const short = await running(user, a40({ name: 'short', auto_shutdown_enabled: false }))
  const from = Date.parse(short.started_at!)
  await sql`select hold_funds(${user.id}, 'hold', 1750000, 'all of it', gen_random_uuid(), ${clock().iso()})`.execute(
    server.owner,
  )
  expect((await user.client.wallet.get()).balance_usd).toBe('0.000000')
  await passTo(from + 50 * minute)
  await server.advance(0)
  expect((await user.client.instances.get({ id: short.id })).status).toBe('running')
  await passTo(from + 2 * hour)
  const dry = await reach(user, short.id, 'stopped')
  expect(dry.status_reason).toBe('balance_empty')
  // The money covers each millisecond below the next millionth of a dollar.
  expect(Date.parse(dry.stopped_at!) - from - hour).toBeLessThan(5)
  expect(Date.parse(dry.stopped_at!) - from - hour).toBeGreaterThanOrEqual(0)
  await passTo(from + 30 * day)
  expect((await user.client.instances.get({ id: paid.id })).status).toBe('running')
})

test('the disk of what stopped for an empty balance is kept for as long as nobody deletes it, and starts after a deposit', async () => {
  const user = await server.user('1')
  const { id } = await running(user, a40({ auto_shutdown_enabled: false }))
  await passTo(clock().now() + 3 * hour)
  await reach(user, id, 'stopped')
  await passTo(clock().now() + 400 * day)
  expect((await machinesOf(machines)).map(({ instanceId }) => instanceId)).toContain(id)
  await sql`select credit_wallet(${user.id}, 10000000, 'more', gen_random_uuid(), ${clock().iso()})`.execute(
    server.owner,
  )
  await user.client.instances.start({ id })
  await reach(user, id, 'running')
})

test('the end of a term is told seven days and a day before, once each, and only the last where the clock leaps over both', async () => {
  const user = await server.user('600')
  const first = await running(user)
  await passTo(endOf(first) - 7 * day - minute)
  expect(await mails(user)).toEqual([])
  await passTo(endOf(first) - 7 * day + minute)
  for (const _ of ['once', 'again']) await mails(user)
  const [week, ...others] = await mails(user)
  expect(others).toEqual([])
  expect(week!.subject).toBe('The upfront term of "box" ends within 7 days')
  expect(week!.text).toContain('it then costs $0.75 per hour while it runs.')
  await user.client.instances.update({ id: first.id, on_term_end: 'stop' })
  // A mail of this kind waits for a quarter of an hour of real time.
  await sql`update notice set sent_at = sent_at - interval '1 hour' where user_id = ${user.id}`.execute(db())
  await passTo(endOf(first) - day + minute)
  const last = (await mails(user)).at(-1)!
  expect(last.subject).toBe('The upfront term of "box" ends within 24 hours')
  expect(last.text).toContain('it stops then. Its disk is kept; started again, it costs $0.75 per hour.')
  expect(await mails(user)).toHaveLength(2)

  const other = await server.user('600')
  const leapt = await running(other)
  await passTo(endOf(leapt) + hour)
  const subjects = (await mails(other)).map(({ subject }) => subject)
  expect(subjects.filter(subject => subject.includes('term'))).toEqual([
    'The upfront term of "box" has ended',
  ])
  expect((await mails(other)).find(({ subject }) => subject.includes('term'))!.text).toContain(
    'it runs on, and costs $0.75 per hour while it runs.',
  )
})

test('a host that was gone extends the terms of what it keeps by as long, once, and says so; a moment is no outage', async () => {
  const user = await server.user('1200')
  const there = await running(user)
  const asleep = await user.client.instances.create(term({ name: 'asleep', start: false }))
  const hourly = await running(user, a40({ name: 'hourly', auto_shutdown_enabled: false }))
  const outage = async (ms: number) => {
    await sql`update host set is_there = false where driver = 'simulated'`.execute(server.owner)
    await sql`update host_outage set from_at = ${clock().iso(-ms)} where to_at is null`.execute(server.owner)
    await sql`update host set is_there = true where driver = 'simulated'`.execute(server.owner)
    for (const _ of ['once', 'again']) await countDown(server.services)
  }
  await outage(30_000)
  expect(await user.client.instances.get({ id: there.id })).toMatchObject({ paid_until: there.paid_until })
  // No more than since the deploy.
  await passTo(clock().now() + 5 * hour)
  await outage(3 * hour)
  for (const { id, paid_until } of [there, asleep]) {
    const now = await user.client.instances.get({ id })
    const later = endOf(now) - Date.parse(paid_until!)
    expect(now.extended_ms).toBe(later)
    expect(later).toBeGreaterThanOrEqual(3 * hour)
    expect(later).toBeLessThan(3 * hour + minute)
  }
  expect(await user.client.instances.get({ id: hourly.id })).toMatchObject({
    paid_until: null,
    extended_ms: 0,
  })
  const { items } = await user.client.activity.usageLogs({ action: 'instance_term_extended' })
  expect(items).toHaveLength(2)
  expect(items[0]!.message).toMatch(
    /^Its host was gone from .* to .* UTC\. The term ends so much later, on .* UTC\.$/,
  )
  // The time held leaves the outage out.
  const balance = Number((await user.client.wallet.get()).balance_usd)
  const now = clock().now()
  await user.client.instances.delete({ id: asleep.id })
  const back = Number((await user.client.wallet.get()).balance_usd) - balance
  const heldHours = (now - Date.parse(asleep.created_at)) / hour - 3
  expect(Math.abs(535 - 0.75 * heldHours - back)).toBeLessThan(0.05)
})

test('a machine that its host lost extends its term from its death on; one that was ended from inside, or stopped, does not', async () => {
  const user = await server.user('1200')
  const lost = await running(user)
  await passTo(clock().now() + hour)
  await machines.destroy(await refOf(machines, lost.id))
  await server.advance(hour)
  const found = await reach(user, lost.id, 'stopped')
  expect(found.status_reason).toBe('lost')
  expect(found.extended_ms).toBeGreaterThan(0)
  expect(endOf(found) - endOf(lost)).toBe(found.extended_ms)

  const killed = await running(user, term({ name: 'killed' }))
  await passTo(clock().now() + hour)
  deaths.set(await refOf(machines, killed.id), clock().now() - minute)
  await server.advance(hour)
  expect(await reach(user, killed.id, 'stopped')).toMatchObject({
    status_reason: 'ended',
    extended_ms: 0,
    paid_until: killed.paid_until,
  })
  const { items } = await user.client.activity.usageLogs({ action: 'instance_term_extended' })
  expect(items.map(({ instance_id }) => instance_id)).toEqual([lost.id])
})

test.each(['hourly', '3month'] as const)(
  'a first start (%s) that fails for our reasons returns the charge whole, with a line that says why; a second one, or one for the reasons of its owner, does not',
  async billing_period => {
    const user = await server.user('1200')
    const { client } = user
    const balance = async () => (await client.wallet.get()).balance_usd
    faults.push({ call: 'create', kind: 'fail', failure: 'no_capacity' })
    const { id } = await client.instances.create(term({ billing_period }))
    const failed = await reach(user, id, 'stopped')
    expect(await balance()).toBe('1200.000000')
    expect(failed).toMatchObject({
      status_reason: 'start_failed',
      billing_period: 'hourly',
      paid_until: null,
      prepaid_remaining: '0.000000',
    })
    expect(failed.status_message).toMatch(/ The \$[\d.]+ that was paid for it was returned to your wallet\.$/)
    const { items } = await client.billing.list({})
    expect(items[0]!.description).toBe('box: its first start failed, the charge is returned')
    expect(items[0]!.amount).toBe(items[1]!.amount.replace('-', ''))
    // Deleted later, nothing returns twice.
    await client.instances.delete({ id })
    expect(await balance()).toBe('1200.000000')

    faults.push({ call: 'create', kind: 'fail', failure: 'rejected' })
    const theirs = await client.instances.create(term({ billing_period, name: 'theirs' }))
    expect(await reach(user, theirs.id, 'stopped')).toMatchObject({ billing_period })
    expect(Number(await balance())).toBeLessThan(1200)

    const ran = await running(user, term({ billing_period, name: 'ran' }))
    await client.instances.stop({ id: ran.id })
    await reach(user, ran.id, 'stopped')
    faults.push({ call: 'start', kind: 'fail', failure: 'no_capacity' })
    const before = await balance()
    await client.instances.start({ id: ran.id })
    expect(await reach(user, ran.id, 'stopped')).toMatchObject({ billing_period })
    expect(await balance()).toBe(before)
  },
)

test('a start that fails while its driver is gone returns the charge; one that its driver can tell of does not', async () => {
  const user = await server.user('100')
  const balance = async () => Number((await user.client.wallet.get()).balance_usd)
  faults.push({ call: 'create', kind: 'fail', failure: 'transient', times: 5 })
  const giveUp = async (id: string) => {
    while ((await user.client.instances.get({ id })).status === 'starting') await server.advance(10_000)
  }
  const { id } = await user.client.instances.create(a40())
  await giveUp(id)
  expect(await balance()).toBe(99.25)
  faults.push(
    { call: 'create', kind: 'fail', failure: 'transient', times: 5 },
    { call: 'inventory', kind: 'fail', failure: 'transient', times: 1_000 },
  )
  const other = await user.client.instances.create(a40({ name: 'other' }))
  await giveUp(other.id)
  expect(await balance()).toBe(99.25)
  faults.length = 0
})

/** What an instance's owner sees of its idleness, puts off and is told of. */
import { done, type Driver, failed, type Stats } from '@ingot/compute/driver'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import type { IdleSignal } from '@ingot/contracts/instance/idle'
import type { Instance } from '@ingot/contracts/instances'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import type { DriverName } from '../../config.ts'
import { type TestUser, until, useTestServer } from '../../product/test-server.ts'
import { listMail } from '../../worker/mail.ts'
import { a40 } from '../test-rows.ts'
import { typingNoter } from '../typing.ts'
import { checkIdle } from './auto-shutdown.ts'

let cpuMs: number | undefined = 0
let loads: number[] | undefined = [0, 0]
/** Machines of this one answer nothing. */
let hangs: string | null = null

const card = (load: number, at: number) => ({
  uuid: `GPU-${at}`,
  load,
  memoryUsedBytes: 1,
  memoryBytes: 2,
  celsius: 40,
  watts: 60,
})
const never = new Promise<never>(() => {})

/** A driver with real cards, and one whose cards are made up and always at work. */
const server = useTestServer({
  env: { INGOT_REGIONS: '*=simulated,EU-West=sandbox' },
  drivers: now => {
    const made = (
      name: string,
      capabilities: Partial<Driver['capabilities']>,
      cards: () => Stats['cards'],
    ) => {
      const machines = createSimulatedDriver({ dir: null, now, startMs: 0, stopMs: 0, restartStartMs: 0 })
      const driver: Driver = {
        ...machines,
        name,
        capabilities: { ...machines.capabilities, ...capabilities },
        cpuTime: ref =>
          ref === hangs
            ? never
            : Promise.resolve(cpuMs === undefined ? failed('transient', 'Not now.') : done(cpuMs)),
        stats: ref =>
          ref === hangs
            ? never
            : Promise.resolve(
                loads === undefined
                  ? failed('transient', 'Not now.')
                  : done({ processor: null, memory: null, disk: null, network: null, cards: cards() }),
              ),
      }
      return driver
    }
    const measures = { processor: true, memory: false, disk: false, network: false, cards: true }
    return new Map<DriverName, Driver>([
      ['simulated', made('simulated', { measures }, () => [card(1, 0)])],
      ['sandbox', made('sandbox', { measures, hardware: 'real', shell: 'real' }, () => loads!.map(card))],
    ])
  },
})
afterEach(() => {
  cpuMs = 0
  loads = [0, 0]
  hangs = null
})

const minute = 60_000
const db = () => server.services.database.kysely
const reach = ({ client }: TestUser, id: string, status: Instance['status']) =>
  until(
    () => client.instances.get({ id }),
    each => each.status === status,
  )
async function running(user: TestUser, changes: Parameters<typeof a40>[0] = {}): Promise<string> {
  const { id } = await user.client.instances.create(a40({ auto_shutdown_minutes: 30, ...changes }))
  await reach(user, id, 'running')
  return id
}
/** Looks as the worker would. What was measured of cards is a while ago at each. */
async function look(from: number, ...minutes: number[]): Promise<void> {
  for (const at of minutes) {
    await server.services.clock.advance(db(), 5_000)
    await checkIdle(server.services, from + at * minute)
  }
}
const refOf = async (id: string) =>
  (await sql<{ ref: string }>`select driver_ref as ref from gpu_instances where id = ${id}`.execute(db()))
    .rows[0]!.ref
/** Mails and, with `phone`, texts. */
const mails = async (user: TestUser, phone?: string) => {
  server.services.signals.send('notice')
  await until(
    async () =>
      (await sql`select from notice where user_id = ${user.id} and due_at <= now()`.execute(db())).rows
        .length,
    n => n === 0,
  )
  return (await listMail(db(), server.services.vault)).filter(
    ({ to }) => to === (phone ?? `${user.id}@example.com`),
  )
}

test('each signal is told with when it counted last; the last one of all by name', async () => {
  const user = await server.user('25')
  const { client } = user
  const id = await running(user, { region: 'EU-West' })
  const from = Date.now()
  await look(from, 0, 1)
  expect(await client.instances.idleness({ id })).toMatchObject({
    state: 'idle',
    auto_shutdown_minutes: 30,
    last_signal: null,
    snoozed_until: null,
    stops_at: (await client.instances.get({ id })).auto_shutdown_at,
  })
  const steps: readonly [IdleSignal, () => void, { amount?: unknown; card?: number }][] = [
    ['processor', () => void (cpuMs! += 30_000), { amount: 0.5 }],
    ['cards', () => void (loads = [0.02, 0.4]), { amount: 0.4, card: 1 }],
    ['terminal', () => typingNoter(server.services, id)(), {}],
    ['ssh', () => typingNoter(server.services, id, 'ssh')(), {}],
    ['requests', () => typingNoter(server.services, id, 'request')(), {}],
  ]
  for (const [index, [signal, act, said]] of steps.entries()) {
    const at = 2 + index * 2
    const before = (await client.instances.get({ id })).last_activity_at
    act()
    if (signal === 'terminal' || signal === 'ssh')
      await until(
        () => client.instances.get({ id }),
        each => each.last_activity_at !== before,
      )
    if (signal === 'requests')
      await until(
        async () =>
          (
            await sql`select from gpu_instances where id = ${id} and last_request_at is not null`.execute(
              db(),
            )
          ).rows,
        rows => rows.length === 1,
      )
    await look(from, at)
    const seen = await client.instances.idleness({ id })
    expect(seen).toMatchObject({ state: 'working', last_signal: signal, idle_since: null, stops_at: null })
    expect(seen.signals.find(each => each.signal === signal)).toMatchObject({
      watched: true,
      last_at: expect.any(String) as string,
      ...said,
    })
    loads = [0, 0]
    await look(from, at + 1)
    expect(await client.instances.idleness({ id })).toMatchObject({ state: 'idle', last_signal: signal })
  }
  await client.instances.restart({ id })
  await until(
    () => client.instances.idleness({ id }),
    seen => seen.last_signal === null && seen.state === 'working',
  )
})

test('cards that are made up count for nothing, and are named as not watched', async () => {
  const user = await server.user('25')
  const id = await running(user)
  await look(Date.now(), 0, 1)
  const seen = await user.client.instances.idleness({ id })
  expect(seen.state).toBe('idle')
  expect(seen.signals.filter(each => each.watched).map(each => each.signal)).not.toContain('cards')
})

test('cards that cannot be read stop nothing, and that is said once it lasts', async () => {
  const user = await server.user('25')
  const id = await running(user, { region: 'EU-West', auto_shutdown_minutes: 5 })
  const from = Date.now()
  await look(from, 0, 1)
  loads = undefined
  await look(from, 10, 60)
  expect((await user.client.instances.get({ id })).status).toBe('running')
  await sql`update gpu_instances set looked_at = looked_at - interval '10 minutes', busy_at = busy_at - interval '10 minutes' where id = ${id}`.execute(
    db(),
  )
  expect((await user.client.instances.idleness({ id })).state).toBe('unknown')
  loads = [0]
  await look(from, 61)
  expect(await reach(user, id, 'stopped')).toMatchObject({ status_reason: 'idle' })
})

test('a machine that never answers is waited for once, and delays no other driver’s', async () => {
  const user = await server.user('25')
  const [stuck, other] = [await running(user), await running(user, { region: 'EU-West' })]
  hangs = await refOf(stuck)
  const from = Date.now()
  const [began, looked] = [performance.now(), look(from, 0)]
  await until(
    async () =>
      (await sql`select from gpu_instances where id = ${other} and looked_at is not null`.execute(db())).rows,
    rows => rows.length === 1,
  )
  expect(performance.now() - began).toBeLessThan(2_500)
  await looked
  const again = performance.now()
  await look(from, 1, 2)
  expect(performance.now() - again).toBeLessThan(2_500)
  expect((await user.client.instances.get({ id: stuck })).status).toBe('running')
}, 20_000)

test('kept on it is not stopped before then, and stops right after; undone it stops when it would have', async () => {
  const user = await server.user('25')
  const { client } = user
  const id = await running(user)
  const from = Date.now()
  await look(from, 0, 1)
  const until = new Date(server.services.clock.now() + 60 * minute).toISOString()
  const kept = await client.instances.snooze({ id, until })
  expect(Math.abs(Date.parse(kept.snoozed_until!) - Date.parse(until))).toBeLessThan(50)
  expect(kept.stops_at).toBe(kept.snoozed_until)
  expect((await client.instances.get({ id })).snoozed_until).toBe(kept.snoozed_until)
  await look(from, 31, 40, 59)
  expect((await client.instances.get({ id })).status).toBe('running')
  expect(await client.instances.endSnooze({ id })).toMatchObject({ snoozed_until: null })
  await client.instances.endSnooze({ id })
  await look(from, 60)
  expect(await reach(user, id, 'stopped')).toMatchObject({ status_reason: 'idle' })
  const { items } = await client.instances.instanceEvents({ id })
  expect(items.map(({ action, actor, operation }) => [action, actor, operation])).toEqual(
    expect.arrayContaining([
      ['instance_snoozed', 'user', 'snoozeInstance'],
      ['instance_snooze_ended', 'user', 'endInstanceSnooze'],
      ['instance_auto_stopped', 'system', null],
    ]),
  )
  expect(items.filter(({ action }) => action === 'instance_snooze_ended')).toHaveLength(1)

  await client.instances.start({ id })
  await reach(user, id, 'running')
  const again = Date.now()
  const short = new Date(server.services.clock.now() + 10 * minute).toISOString()
  await client.instances.snooze({ id, until: short })
  await look(again, 0, 11, 31)
  expect(await reach(user, id, 'stopped')).toMatchObject({ status_reason: 'idle' })
})

test('a snooze is within seven days, and of what runs and would stop', async () => {
  const user = await server.user('25')
  const { client } = user
  const id = await running(user)
  const inMs = (ms: number) => new Date(server.services.clock.now() + ms).toISOString()
  for (const until of [inMs(-minute), inMs(7 * 24 * 60 * minute + minute)])
    await expect(client.instances.snooze({ id, until })).rejects.toMatchObject({
      code: 'validation_failed',
      fields: { until: expect.any(String) as string },
    })
  await client.instances.update({ id, auto_shutdown_enabled: false })
  await expect(client.instances.snooze({ id, until: inMs(minute) })).rejects.toMatchObject({
    code: 'invalid_state',
  })
  await client.instances.update({ id, auto_shutdown_enabled: true })
  await client.instances.stop({ id })
  await reach(user, id, 'stopped')
  await expect(client.instances.snooze({ id, until: inMs(minute) })).rejects.toMatchObject({
    code: 'invalid_state',
  })
})

test('it is told once before it stops, once more after a snooze, and when it was stopped', async () => {
  const user = await server.user('25')
  const id = await running(user, { name: 'night' })
  const from = Date.now()
  await look(from, 0, 1, 19)
  expect((await mails(user)).filter(({ subject }) => subject.includes('soon'))).toHaveLength(0)
  await Promise.all([look(from, 21), look(from, 21)])
  await look(from, 23, 25)
  const [warning, ...more] = (await mails(user)).filter(({ subject }) => subject.includes('soon'))
  expect(more).toHaveLength(0)
  expect(warning).toMatchObject({ subject: 'Instance "night" stops soon: nothing is done in it' })
  expect(warning!.text).toContain(`/console/instances/${id}/settings`)
  expect(await user.client.instances.checkIdle({})).toMatchObject({
    items: [{ instance_id: id, name: 'night', is_soon: false }],
  })

  const until = new Date(server.services.clock.now() + 60 * minute).toISOString()
  await user.client.instances.snooze({ id, until })
  await look(from, 30, 45)
  await sql`update notice set sent_at = null where user_id = ${user.id}`.execute(db())
  await look(from, 55, 57)
  expect((await mails(user)).filter(({ subject }) => subject.includes('soon'))).toHaveLength(2)
  await look(from, 62)
  await reach(user, id, 'stopped')
  expect((await mails(user)).filter(({ subject }) => subject.includes('stopped'))).toMatchObject([
    { subject: 'Instance "night" stopped: nothing was done in it' },
  ])
})

test('a text goes to whoever asked for texts', async () => {
  const user = await server.user('25')
  const phone = `49151${Math.floor(Math.random() * 1e9)}`
  await sql`update auth_user set phone = ${phone}, phone_confirmed_at = now() where id = ${user.id}`.execute(
    db(),
  )
  await user.client.accounts.updateSettings({ sms_notifications: true })
  const id = await running(user, { name: 'texted' })
  await look(Date.now(), 0, 25, 31)
  await reach(user, id, 'stopped')
  const texts = (await mails(user, `+${phone}`)).map(({ text }) => text)
  expect(texts.toSorted()).toEqual([
    expect.stringMatching(
      /^Ingot: Instance "texted" idle: stops on .* unless used\. Keep it on: .*\/settings /,
    ),
    expect.stringMatching(/^Ingot: Instance "texted" stopped: nothing was done in it\. Disks are kept\./),
  ])
})

test('a warning that had to wait is not sent once its instance has stopped', async () => {
  const user = await server.user('25')
  const [first, second] = [
    await running(user, { name: 'first' }),
    await running(user, { name: 'second', auto_shutdown_minutes: 60 }),
  ]
  const from = Date.now()
  await look(from, 0, 25)
  await mails(user)
  await look(from, 55)
  await reach(user, first, 'stopped')
  const waiting = async () =>
    (
      await sql<{ names: string | null }>`select items #>> '{0,name}' as names from notice
        where user_id = ${user.id} and kind = 'idle_soon' and channel = 'mail' and due_at > now()`.execute(
        db(),
      )
    ).rows
  expect(await waiting()).toEqual([{ names: 'second' }])
  await look(from, 61)
  await reach(user, second, 'stopped')
  expect(await waiting()).toEqual([])
})

test('settings decide: without email notifications nothing is sent', async () => {
  const user = await server.user('25')
  await user.client.accounts.updateSettings({ email_notifications: false })
  const id = await running(user)
  const from = Date.now()
  await look(from, 0, 25, 31)
  await reach(user, id, 'stopped')
  expect((await mails(user)).filter(({ subject }) => /soon|stopped/.test(subject))).toHaveLength(0)
})

test('the check may be called any number of times: it asks no machine, writes nothing and stops nothing', async () => {
  const user = await server.user('25')
  const id = await running(user, { auto_shutdown_minutes: 5 })
  const from = Date.now()
  await look(from, 0, 1)
  const row = () => sql`select * from gpu_instances where id = ${id}`.execute(db())
  const { rows } = await row()
  hangs = await refOf(id)
  const answers = await Promise.all(Array.from({ length: 50 }, () => user.client.instances.checkIdle({})))
  for (const { items } of answers) expect(items).toMatchObject([{ instance_id: id, is_soon: false }])
  expect((await row()).rows).toEqual(rows)
})

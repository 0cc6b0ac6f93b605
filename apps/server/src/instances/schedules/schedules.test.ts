/** Schedules on real PostgreSQL, with several workers that look at once. */
import type { Instance } from '@ingot/contracts/instances'
import type { schedules } from '@ingot/contracts/instance/schedules'
import type { Input } from '@ingot/contracts/operation'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '../../db/ids.ts'
import { type TestUser, until, useTestServer } from '../../product/test-server.ts'
import { startLoop } from '../../worker/loop.ts'
import { listMail } from '../../worker/mail.ts'
import type { Running } from '../../worker/running.ts'
import { a40 } from '../test-rows.ts'
import { scheduleWork } from './schedule-work.ts'

/** Instances move by themselves; schedules are carried out by the loops that each test starts. */
const server = useTestServer()
const still = useTestServer({ worker: false })

const minute = 60_000
const hour = 60 * minute
type Wish = Omit<Input<typeof schedules.createSchedule>, 'id'>
const everyDay: Wish['weekdays'] = [1, 2, 3, 4, 5, 6, 7]

const reach = ({ client }: TestUser, id: string, status: Instance['status']) =>
  until(
    () => client.instances.get({ id }),
    each => each.status === status,
  )
const eventsOf = async ({ client }: TestUser, id: string) =>
  (await client.instances.instanceEvents({ id })).items
/** In UTC, so many minutes from now on. */
const inMinutes = (action: Wish['action'], minutes: number, of = server): Wish => ({
  action,
  time: new Date(of.services.clock.now() + minutes * minute).toISOString().slice(11, 16),
  weekdays: everyDay,
  time_zone: 'UTC',
})
const add = ({ client }: TestUser, id: string, wish: Wish) => client.instances.createSchedule({ id, ...wish })
const carriedOut = ({ client }: TestUser, id: string) =>
  until(
    async () => (await client.instances.schedules({ id })).items,
    items => items.every(({ last_outcome }) => last_outcome !== null),
  )

test('it starts and stops at its times, in its own name, at the instance’s price', async () => {
  const user = await server.user('25')
  const { id } = await user.client.instances.create(a40({ start: false }))
  const made = await add(user, id, inMinutes('start', 2))
  expect(Date.parse(made.next_at!) - server.services.clock.now()).toBeLessThanOrEqual(2 * minute)
  await server.advance(2 * minute)
  expect(await reach(user, id, 'running')).toMatchObject({ hourly_cost: '0.750000' })
  await add(user, id, inMinutes('stop', 30))
  await server.advance(30 * minute)
  await reach(user, id, 'stopped')
  const [started, stopped] = await carriedOut(user, id)
  expect(started).toMatchObject({ last_outcome: 'done', last_at: made.next_at, last_message: null })
  expect(Date.parse(started!.next_at!) - Date.parse(made.next_at!)).toBe(24 * hour)
  expect(stopped).toMatchObject({ last_outcome: 'done' })
  const events = await eventsOf(user, id)
  expect(events.map(({ action, actor, operation }) => [action, actor, operation])).toEqual(
    expect.arrayContaining([
      ['instance_starting', 'schedule', 'startInstance'],
      ['instance_stopped', 'schedule', 'stopInstance'],
      ['instance_schedule_added', 'user', 'createInstanceSchedule'],
    ]),
  )
  const logs = (await user.client.activity.usageLogs({ instance_id: id })).items
  expect(logs.find(({ action }) => action === 'instance_stopped')).toMatchObject({ actor: 'schedule' })
})

test('of many workers that look at once one carries it out, once', async () => {
  const user = await still.user('50')
  const ids: string[] = []
  for (let n = 0; n < 6; n++) {
    const { id } = await user.client.instances.create(a40({ name: `box-${n}`, start: false }))
    await add(user, id, inMinutes('start', 1, still))
    ids.push(id)
  }
  await still.services.clock.advance(still.services.database.kysely, 2 * minute)
  const { services } = still
  const loops = Array.from({ length: 4 }, () => startLoop(scheduleWork(services), services))
  for (const id of ids) await carriedOut(user, id)
  await Promise.all(loops.map(loop => loop.stop()))
  for (const id of ids) {
    const actions = (await eventsOf(user, id)).map(({ action }) => action)
    expect(actions.filter(action => action === 'instance_starting')).toHaveLength(1)
    expect((await user.client.instances.get({ id })).status).toBe('starting')
  }
})

test('killed between the claim and the end of it, another carries it out once its lease is over', async () => {
  const user = await still.user('25')
  const { id } = await user.client.instances.create(a40({ start: false }))
  const { services } = still
  const db = services.database.kysely
  const { id: scheduleId } = await add(user, id, inMinutes('start', 1, still))
  await services.clock.advance(db, 2 * minute)
  // As one that was killed has left it.
  await sql`update instance_schedule set lock_token = ${newId()}, lock_expires_at = now() + interval '700 ms' where id = ${scheduleId}`.execute(
    db,
  )
  const loop: Running = startLoop(scheduleWork(services), services)
  expect((await user.client.instances.get({ id })).status).toBe('stopped')
  await carriedOut(user, id)
  await loop.stop()
  expect((await eventsOf(user, id)).filter(({ action }) => action === 'instance_starting')).toHaveLength(1)
})

test('away over many times: a stop is made late and once; a start that is too late is not made, and that is said', async () => {
  const user = await still.user('100')
  const { services } = still
  const db = services.database.kysely
  const { id } = await user.client.instances.create(a40({ start: false }))
  const other = await user.client.instances.create(a40({ name: 'other', start: false }))
  await add(user, id, inMinutes('stop', 1, still))
  await add(user, other.id, inMinutes('start', 1, still))
  const started = services.clock.iso()
  await sql`select open_meter(${id}, ${started}, 'simulated')`.execute(db)
  await sql`update gpu_instances set status = 'running', desired = 'running', started_at = ${started} where id = ${id}`.execute(
    db,
  )
  await services.clock.advance(db, 3 * 24 * hour)
  const loop = startLoop(scheduleWork(services), services)
  const [[stop], [start]] = [await carriedOut(user, id), await carriedOut(user, other.id)]
  await loop.stop()
  expect(stop).toMatchObject({ last_outcome: 'done' })
  expect(Date.parse(stop!.next_at!)).toBeGreaterThan(services.clock.now())
  expect((await eventsOf(user, id)).filter(({ action }) => action === 'instance_stopped')).toHaveLength(1)
  expect(start).toMatchObject({ last_outcome: 'missed' })
  expect((await user.client.instances.get({ id: other.id })).status).toBe('stopped')
  expect(
    (await eventsOf(user, other.id)).filter(({ action }) => action === 'instance_schedule_missed'),
  ).toMatchObject([
    {
      actor: 'schedule',
      message: expect.stringMatching(/^Too late for the start at \d\d:\d\d \(UTC\)/) as string,
    },
  ])
})

test('late by less than ten minutes a start is made', async () => {
  const user = await still.user('25')
  const { services } = still
  const { id } = await user.client.instances.create(a40({ start: false }))
  await add(user, id, inMinutes('start', 1, still))
  await services.clock.advance(services.database.kysely, 9 * minute)
  const loop = startLoop(scheduleWork(services), services)
  expect(await carriedOut(user, id)).toMatchObject([{ last_outcome: 'done' }])
  await loop.stop()
})

test('a start that the balance does not cover is not made: events and a mail say so, and nothing is charged', async () => {
  const user = await server.user('25')
  const { id } = await user.client.instances.create(a40({ name: 'poor', auto_shutdown_enabled: false }))
  await reach(user, id, 'running')
  await server.advance(hour + minute)
  await user.client.instances.stop({ id })
  await reach(user, id, 'stopped')
  const left = BigInt((await user.client.wallet.get()).balance_usd.replace('.', ''))
  await sql`select debit_wallet(${user.id}, ${left}, 'Spent', ${newId()}, ${server.services.clock.iso()})`.execute(
    server.owner,
  )
  await add(user, id, inMinutes('start', 1))
  await server.advance(2 * minute)
  const [made] = await carriedOut(user, id)
  const events = await eventsOf(user, id)
  expect(made).toMatchObject({ last_outcome: 'refused' })
  expect(events.filter(({ action }) => action === 'instance_start_failed')).toMatchObject([
    { actor: 'schedule', message: expect.stringContaining('As to the start at') as string },
  ])
  expect(await user.client.wallet.get()).toMatchObject({ balance_usd: '0.000000' })
  server.services.signals.send('notice')
  await until(
    async () =>
      (await listMail(server.services.database.kysely, server.services.vault)).filter(
        ({ to, subject }) => to === `${user.id}@example.com` && subject.includes('did not start'),
      ),
    found => found.length === 1,
  )
})

test('a start without a free place is not made, and its refusal is kept', async () => {
  const user = await still.user('25')
  const { services } = still
  const db = services.database.kysely
  const { id } = await user.client.instances.create(a40({ start: false }))
  await add(user, id, inMinutes('start', 1, still))
  await services.clock.advance(db, minute)
  await sql`update host set is_there = false`.execute(db)
  const loop = startLoop(scheduleWork(services), services)
  expect(await carriedOut(user, id)).toMatchObject([
    { last_outcome: 'refused', last_message: expect.stringContaining('Nothing was charged.') as string },
  ])
  await loop.stop()
  await sql`update host set is_there = true`.execute(db)
  expect((await user.client.instances.get({ id })).status).toBe('stopped')
  expect((await user.client.instances.placements({ id })).items).toMatchObject([{ outcome: 'refused' }])
  expect((await eventsOf(user, id)).filter(({ action }) => action === 'instance_start_failed')).toHaveLength(
    1,
  )
})

test('a stop waits for one that is just starting; one that was started after its time runs on', async () => {
  const user = await still.user('100')
  const { services } = still
  const db = services.database.kysely
  const { id } = await user.client.instances.create(a40())
  await add(user, id, inMinutes('stop', 1, still))
  await services.clock.advance(db, minute)
  const loop = startLoop(scheduleWork(services), services)
  await until(
    async () =>
      (
        await sql`select from instance_schedule where instance_id = ${id} and waiting_at is not null`.execute(
          db,
        )
      ).rows,
    rows => rows.length === 1,
  )
  const at = services.clock.iso()
  await sql`select open_meter(${id}, ${at}, 'simulated')`.execute(db)
  await sql`update gpu_instances set status = 'running', started_at = ${at} where id = ${id}`.execute(db)
  expect(await carriedOut(user, id)).toMatchObject([{ last_outcome: 'done' }])
  await loop.stop()

  const later = await user.client.instances.create(a40({ name: 'later', start: false }))
  await add(user, later.id, inMinutes('stop', 1, still))
  await services.clock.advance(db, 5 * minute)
  await user.client.instances.start({ id: later.id })
  const again = startLoop(scheduleWork(services), services)
  expect(await carriedOut(user, later.id)).toMatchObject([{ last_outcome: 'nothing_to_do' }])
  await again.stop()
  expect((await user.client.instances.get({ id: later.id })).status).toBe('starting')
})

test('of a stop and a start that are both late, the earlier comes first', async () => {
  const user = await server.user('25')
  const { id } = await user.client.instances.create(a40())
  await reach(user, id, 'running')
  await add(user, id, inMinutes('start', 5))
  const { id: stopId } = await add(user, id, inMinutes('stop', 3))
  // Another has claimed the earlier one, so that the later one is looked at first.
  const db = server.services.database.kysely
  await sql`update instance_schedule set lock_token = ${newId()}, lock_expires_at = now() + interval '1 s' where id = ${stopId}`.execute(
    db,
  )
  await server.advance(8 * minute)
  await until(
    async () =>
      (
        await sql`select from instance_schedule where instance_id = ${id} and waiting_at is not null`.execute(
          db,
        )
      ).rows,
    rows => rows.length === 1,
  )
  const [start, stop] = await carriedOut(user, id)
  expect(stop).toMatchObject({ last_outcome: 'done' })
  expect(start).toMatchObject({ last_outcome: 'done' })
  await reach(user, id, 'running')
  const actions = (await eventsOf(user, id)).map(({ action }) => action)
  expect(actions.filter(action => action === 'instance_stopped')).toHaveLength(1)
})

test('made, changed, switched off and removed; limits hold, and a deleted instance has none', async () => {
  const user = await server.user('25')
  const { client } = user
  const { id } = await client.instances.create(a40({ start: false }))
  const wish: Wish = { action: 'start', time: '07:30', weekdays: [5, 1, 1], time_zone: 'europe/berlin' }
  const made = await add(user, id, wish)
  expect(made).toMatchObject({ weekdays: [1, 5], enabled: true, time_zone: 'europe/berlin' })
  const change = { id, schedule_id: made.id }
  expect(await client.instances.updateSchedule({ ...change, enabled: false })).toMatchObject({
    next_at: null,
  })
  const on = await client.instances.updateSchedule({ ...change, enabled: true, time: '08:00', weekdays: [3] })
  expect(new Date(on.next_at!).getUTCDay()).toBe(3)
  for (const [field, value] of [
    ['time', '24:00'],
    ['time', '8:00'],
    ['weekdays', []],
    ['weekdays', [1, 2, 3, 4, 5, 6, 7, 1]],
    ['time_zone', 'Mars/Olympus'],
    ['time_zone', '+01:00'],
    ['action', 'delete'],
  ] as const)
    await expect(client.instances.updateSchedule({ ...change, [field]: value })).rejects.toMatchObject({
      code: 'validation_failed',
      fields: { [field]: expect.any(String) as string },
    })
  await expect(client.instances.updateSchedule({ ...change, weekdays: [0 as 1] })).rejects.toMatchObject({
    code: 'validation_failed',
  })
  for (let n = 1; n < 14; n++) await add(user, id, wish)
  await expect(add(user, id, wish)).rejects.toMatchObject({ code: 'invalid_state' })
  expect((await client.instances.deleteSchedule(change)).items).toHaveLength(13)
  await expect(client.instances.deleteSchedule(change)).rejects.toMatchObject({ code: 'not_found' })
  const foreign = await client.instances.create(a40({ name: 'other', start: false }))
  const [theirs] = (await client.instances.schedules({ id })).items
  await expect(
    client.instances.updateSchedule({ id: foreign.id, schedule_id: theirs!.id, enabled: false }),
  ).rejects.toMatchObject({ code: 'not_found' })
  await client.instances.delete({ id })
  const left = await sql`select from instance_schedule where instance_id = ${id}`.execute(server.owner)
  expect(left.rows).toHaveLength(0)
})

/** Hosts as administrators see and empty them, over HTTP, with real rows, ledger and mails; machines are simulated. */
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { a40 } from '../instances/test-rows.ts'
import { type TestUser, until, useTestServer } from '../product/test-server.ts'
import { drainHosts } from './drain-work.ts'

const server = useTestServer({
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
          capacity: { A40: 8 },
        }),
      ],
    ]),
})
const db = () => server.services.database.kysely
const hour = 3_600_000

let admin: TestUser
let hostId = ''
const machines = () => admin.client.machines
beforeAll(async () => {
  admin = await server.user()
  await sql`insert into user_roles (user_id, role) values (${admin.id}, 'admin')`.execute(db())
  hostId = (await admin.client.catalog.hosts()).items[0]!.id
})
const reach = ({ client }: TestUser, id: string, status: string) =>
  until(
    () => client.instances.get({ id }),
    each => each.status === status,
  )
async function running(user: TestUser, more: Parameters<typeof a40>[0] = {}): Promise<string> {
  const { id } = await user.client.instances.create(a40(more))
  await reach(user, id, 'running')
  return id
}
const later = (ms: number) => new Date(server.services.clock.now() + ms).toISOString()
const told = async ({ id }: TestUser) => {
  const { rows } = await sql<{ kind: string }>`
    select kind from notice where user_id = ${id} and channel = 'mail' and kind like 'maintenance%' order by kind`.execute(
    db(),
  )
  return rows.map(({ kind }) => kind)
}
const needs = async ({ client }: TestUser) =>
  (await client.activity.attention()).items
    .map(({ kind }) => kind)
    .filter(kind => kind.includes('maintenance'))
const open = () => machines().uncordon({ id: hostId, reason: 'done' })

test('a host tells who has each of its cards and since when, and whom a drain would concern; the lists page', async () => {
  const user = await server.user('100')
  const [one, two] = [await running(user), await running(user, { gpu_count: 2 })]
  const host = await machines().host({ id: hostId })
  const held = host.held_cards.filter(({ instance_id }) => instance_id !== null)
  expect(held.map(({ instance_id }) => instance_id).toSorted()).toEqual([one, two, two].toSorted())
  expect(held[0]).toMatchObject({
    email: `${user.id}@example.com`,
    gpu_type: 'A40',
    hourly_cost: expect.any(String),
  })
  expect(host).toMatchObject({
    state: 'ready',
    maintenance: null,
    silent_since: null,
    concerned: { running: 2, customers: 1, volumes: 0 },
    regions: expect.arrayContaining(['US-East']),
  })
  const first = await machines().hostInstances({ id: hostId, limit: 1 })
  const second = await machines().hostInstances({ id: hostId, limit: 1, cursor: first.next_cursor! })
  expect([...first.items, ...second.items].map(({ id }) => id)).toEqual([one, two].toSorted())
  expect(second.next_cursor).toBeNull()
  const region = (await machines().regions()).items.find(({ id }) => id === 'US-East')!
  expect(region).toMatchObject({
    driver_state: 'ready',
    is_on_sale: true,
    cards: [{ gpu_type: 'A40', total: 8, taken: 3, free: 5 }],
    hosts: 1,
    hosts_cordoned: 0,
  })
  await user.client.instances.stop({ id: one })
  await reach(user, one, 'stopped')
  const decisions = await machines().placements({ instance_id: one })
  expect(decisions.items.map(({ outcome }) => outcome)).toEqual(['released', 'placed'])
  expect(decisions.items[0]).toMatchObject({
    host_id: hostId,
    instance_id: one,
    email: `${user.id}@example.com`,
  })
  const paged = await machines().placements({ host: hostId, limit: 2 })
  const rest = await machines().placements({ host: hostId, cursor: paged.next_cursor! })
  expect(new Set([...paged.items, ...rest.items].map(({ instance_id }) => instance_id))).toEqual(
    new Set([one, two]),
  )
  expect((await machines().placements({ from: later(hour) })).items).toEqual([])
  for (const id of [one, two]) await user.client.instances.delete({ id })
})

test('a cordon refuses deploys and starts in words, says who did it and why, and stands in the audit log', async () => {
  const user = await server.user('100')
  const id = await running(user)
  await user.client.instances.stop({ id })
  await reach(user, id, 'stopped')
  expect(await machines().cordon({ id: hostId, reason: ' A fan is loud ' })).toMatchObject({
    maintenance: { state: 'cordoned', by: admin.id, reason: 'A fan is loud', drain_at: null },
  })
  await expect(machines().cordon({ id: hostId, reason: 'again' })).rejects.toMatchObject({
    code: 'invalid_state',
  })
  await expect(user.client.instances.create(a40())).rejects.toMatchObject({ code: 'no_capacity' })
  await expect(user.client.instances.start({ id })).rejects.toMatchObject({
    code: 'no_capacity',
    message: /being maintained/,
  })
  expect((await user.client.instances.placements({ id })).items[0]).toMatchObject({
    outcome: 'refused',
    reason: 'cordoned',
  })
  // One that waits comes in its turn, once the host is open.
  await user.client.instances.start({ id, when_full: 'queue' })
  expect((await machines().host({ id: hostId })).queued).toBe(1)
  expect(await told(user)).toEqual([])
  await open()
  await reach(user, id, 'running')
  await expect(open()).rejects.toMatchObject({ code: 'invalid_state' })
  const { rows } = await sql<{ operation: string; after: object; reason: string; actor: string }>`
    select operation, after, reason, actor from audit_log where subject_kind = 'host' order by id`.execute(
    db(),
  )
  expect(rows.slice(-2)).toMatchObject([
    {
      operation: 'cordonHost',
      after: { cordoned: true },
      reason: 'A fan is loud',
      actor: `staff:${admin.id}`,
    },
    { operation: 'uncordonHost', after: { cordoned: false }, reason: 'done' },
  ])
  await user.client.instances.delete({ id })
})

test('a drain is told to those concerned, may be moved and called off, and stops nobody before its time', async () => {
  const [user, other] = [await server.user('100'), await server.user('100')]
  const id = await running(user)
  const soon = { id: hostId, reason: 'A power supply is replaced.', at: later(hour / 2) }
  await expect(machines().drain(soon)).rejects.toMatchObject({ fields: { at: /less than an hour/ } })
  await expect(machines().drain({ ...soon, at: later(100 * 24 * hour) })).rejects.toMatchObject({
    fields: { at: /90 days/ },
  })
  const planned = await machines().drain({ ...soon, at: later(2 * hour) })
  expect(planned.maintenance).toMatchObject({ state: 'draining', reason: 'A power supply is replaced.' })
  expect(await told(user)).toEqual(['maintenance_planned'])
  expect(await told(other)).toEqual([])
  expect(await needs(user)).toEqual(['maintenance'])
  expect(await needs(other)).toEqual([])
  await server.advance(hour)
  expect((await user.client.instances.get({ id })).status).toBe('running')
  const called = await machines().cancelDrain({ id: hostId, reason: 'It came early' })
  expect(called.maintenance).toMatchObject({ state: 'cordoned', drain_at: null })
  expect(await told(user)).toEqual(['maintenance_off', 'maintenance_planned'])
  expect(await needs(user)).toEqual([])
  await server.advance(2 * hour)
  expect((await user.client.instances.get({ id })).status).toBe('running')
  await expect(machines().cancelDrain({ id: hostId, reason: 'x' })).rejects.toMatchObject({
    code: 'invalid_state',
  })
  await open()
  await user.client.instances.delete({ id })
})

test('at its time all stop, each charged up to that moment; a term ends later by as long as the host was closed; nothing starts before it is open', async () => {
  const user = await server.user('2000')
  const hourly = await running(user)
  const term = await running(user, { billing_period: '3month' })
  const before = await user.client.instances.get({ id: term })
  await machines().drain({ id: hostId, reason: 'A disk is replaced.', at: later(2 * hour) })
  await server.advance(2 * hour)
  for (const id of [hourly, term]) await reach(user, id, 'stopped')
  const stopped = await user.client.instances.get({ id: hourly })
  expect(stopped).toMatchObject({ status_reason: 'maintenance', status_message: /A disk is replaced/ })
  const drainedAt = Date.parse((await machines().host({ id: hostId })).maintenance!.drain_at!)
  expect(Date.parse(stopped.stopped_at!) - drainedAt).toBeLessThan(60_000)
  const charged = async () => {
    const { rows } = await sql<{ to_at: string | null }>`
      select max(to_at) as to_at from usage_line where meter_id = ${hourly}`.execute(db())
    return rows[0]!.to_at
  }
  const cost = await charged()
  expect(cost).toBe(stopped.stopped_at)
  await server.advance(5 * hour)
  expect(await charged()).toEqual(cost)
  for (const id of [hourly, term])
    await expect(user.client.instances.start({ id })).rejects.toMatchObject({ code: 'no_capacity' })
  expect(await needs(user)).toEqual(['maintenance', 'maintenance'])
  await expect(machines().drain({ id: hostId, reason: 'x', at: later(9 * hour) })).rejects.toMatchObject({
    code: 'invalid_state',
  })
  // The host goes off and comes back meanwhile: it stays closed.
  await sql`update host set is_there = false where id = ${hostId}`.execute(db())
  await sql`update host set is_there = true where id = ${hostId}`.execute(db())
  await open()
  expect(await told(user)).toEqual(['maintenance_over', 'maintenance_planned', 'maintenance_stopped'])
  expect(await needs(user)).toEqual(['maintenance_over', 'maintenance_over'])
  const { rows: outages } = await sql<{ is_maintenance: boolean; to_at: string | null }>`
    select is_maintenance, to_at from host_outage where host_id = ${hostId}`.execute(db())
  expect(outages).toMatchObject([{ is_maintenance: true, to_at: expect.any(String) }])
  await sql`select handle_outages(${server.services.clock.iso()})`.execute(db())
  await until(
    () => user.client.instances.get({ id: term }),
    ({ paid_until }) => Date.parse(paid_until!) > Date.parse(before.paid_until!) + 5 * hour - 60_000,
  )
  const { items } = await user.client.activity.usageLogs({ instance_id: term })
  expect(items.find(({ action }) => action === 'instance_term_extended')?.message).toMatch(
    /^Its host was maintained from/,
  )
  for (const id of [hourly, term]) {
    await user.client.instances.start({ id })
    await reach(user, id, 'running')
    await user.client.instances.delete({ id })
  }
})

test('however often and by however many it is done, and wherever one of them dies, each is stopped and told once', async () => {
  const users = await Promise.all(Array.from({ length: 3 }, () => server.user('100')))
  const ids = await Promise.all(users.map(user => running(user)))
  await machines().drain({ id: hostId, reason: 'Now.', at: later(-hour), short_notice: true })
  // One dies in the middle of its transaction: nothing of it stays.
  const dead = {
    ...server.services,
    clock: {
      ...server.services.clock,
      iso: () => {
        throw new Error('killed')
      },
    },
  }
  await expect(drainHosts(dead)).rejects.toThrow('killed')
  await Promise.all(Array.from({ length: 6 }, () => drainHosts(server.services)))
  for (const [n, user] of users.entries()) {
    await reach(user, ids[n]!, 'stopped')
    const { items } = await user.client.activity.usageLogs({ instance_id: ids[n]! })
    expect(items.filter(({ action }) => action === 'instance_stopped')).toHaveLength(1)
    const { rows } = await sql<{ n: number }>`
      select coalesce(sum(jsonb_array_length(items)), 0)::int + count(sent_at)::int as n from notice
      where user_id = ${user.id} and kind = 'maintenance_stopped'`.execute(db())
    expect(rows[0]!.n).toBe(1)
  }
  expect(await drainHosts(server.services)).toBe(0)
  await open()
  for (const [n, user] of users.entries()) await user.client.instances.delete({ id: ids[n]! })
})

test('what is still starting at that time is stopped when it runs, and so is what restarts', async () => {
  const user = await server.user('100')
  const id = await running(user)
  await Promise.all([
    user.client.instances.restart({ id }),
    machines().drain({ id: hostId, reason: 'Now.', at: later(0), short_notice: true }),
  ])
  await until(
    () => user.client.instances.get({ id }),
    each => each.status === 'stopped' && each.status_reason === 'maintenance',
  )
  await open()
  await user.client.instances.delete({ id })
})

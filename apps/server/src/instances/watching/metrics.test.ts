import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, done, type Driver, type Ref, type Stats } from '@ingot/compute/driver'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import { sql } from 'kysely'
import { pino } from 'pino'
import { beforeEach, describe, expect, test } from 'vitest'
import type { DriverName } from '../../config.ts'
import { newId } from '../../db/ids.ts'
import { type TestUser, until, useTestServer } from '../../product/test-server.ts'
import { a40 } from '../test-rows.ts'
import { blockMs, emptyOld, lookMs, turnOf, writeBlocks } from './blocks.ts'
import { createBlocks, createCollector } from './collect.ts'
import { createLooks } from './looks.ts'

const dayMs = 86_400_000
/** What machines answer instead of their own figures. */
const scripted = new Map<Ref, () => Promise<Answer<Stats>>>()
let asked: Ref[] = []

const server = useTestServer({
  drivers: now => {
    const machines = createSimulatedDriver({ dir: null, now, startMs: 0, stopMs: 0 })
    const driver: Driver = {
      ...machines,
      capabilities: {
        ...machines.capabilities,
        measures: { ...machines.capabilities.measures, processor: true },
      },
      cpuTime: async () => done(0),
      stats: ref => {
        asked.push(ref)
        return scripted.get(ref)?.() ?? machines.stats(ref)
      },
    }
    return new Map<DriverName, Driver>([['simulated', driver]])
  },
})
const db = () => server.services.database.kysely
const silent = pino({ level: 'silent' })

beforeEach(() => {
  scripted.clear()
  asked = []
})

async function running(user: TestUser, changes: Parameters<typeof a40>[0] = {}) {
  const { id } = await user.client.instances.create(a40(changes))
  await until(
    () => user.client.instances.get({ id }),
    ({ status }) => status === 'running',
  )
  const { driver_ref } = await db()
    .selectFrom('gpu_instances')
    .select('driver_ref')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return { id, ref: driver_ref! }
}

/** One that measures in place of the server's own, whose turn is taken from it. */
async function collector() {
  await sql`delete from metric_lease`.execute(db())
  const { services } = server
  const blocks = services.blocks
  blocks.open.clear()
  blocks.full = []
  const looks = createLooks({ ...services, log: silent })
  return createCollector({ ...services, looks, blocks, log: silent })
}
/** Looks half a minute apart, from the beginning of a block on. */
async function rounds(measuring: { round(): Promise<void> }, count: number) {
  for (let n = 0; n < count; n++) {
    await measuring.round()
    await server.advance(lookMs)
  }
}
const toBlock = () => server.advance(blockMs - (server.services.clock.now() % blockMs) + 1_000)
const stored = async (id: string) =>
  (
    await sql<{ began_at: string; load: number | null; figures: (number | null)[][]; limits: number[] }>`
      select began_at, load, figures, limits::float8[] from metric_block where instance_id = ${id} order by began_at`.execute(
      db(),
    )
  ).rows

const gibibyte = 2 ** 30
const stats = (changes: Partial<Stats> = {}): Stats => ({
  processor: { usedMs: 1_000, cores: 8 },
  memory: { usedBytes: gibibyte, limitBytes: 48 * gibibyte },
  disk: null,
  network: { receivedBytes: 10, sentBytes: 20 },
  cards: [{ uuid: 'GPU-1', load: 0.5, memoryUsedBytes: 5, memoryBytes: 10, celsius: 40, watts: 100 }],
  ...changes,
})

describe('what is measured each half minute', () => {
  test('is one row for five minutes, written when they are over, and a chart shows it before', async () => {
    const user = await server.user('25')
    const { id } = await running(user)
    await toBlock()
    const began = Math.floor(server.services.clock.now() / blockMs) * blockMs
    const measuring = await collector()
    await rounds(measuring, 9)
    expect(await stored(id)).toEqual([])
    const from = new Date(began).toISOString()
    const early = await user.client.instances.metrics({
      id,
      from,
      to: new Date(began + blockMs).toISOString(),
    })
    expect(early).toMatchObject({ from, step_seconds: 30, simulated: true, measures: { processor: true } })
    expect(early.memory_bytes.map(value => value !== null)).toEqual([...Array(9).fill(true), false])
    await rounds(measuring, 2)
    const rows = await stored(id)
    expect(rows).toHaveLength(1)
    expect(rows[0]!.began_at).toBe(from)
    // Five lines of the machine, and four of its card.
    expect(rows[0]!.figures.map(line => line.length)).toEqual(Array(9).fill(10))
    expect(rows[0]!.load).toBeGreaterThan(0)
    expect(rows[0]!.limits[1]).toBe(48 * gibibyte)
    const late = await user.client.instances.metrics({
      id,
      from,
      to: new Date(began + blockMs).toISOString(),
    })
    expect(late.cards).toHaveLength(1)
    expect(late.memory_bytes.slice(0, 9)).toEqual(early.memory_bytes.slice(0, 9))
    expect(late.memory_bytes[9]).not.toBeNull()
    expect(late.limits.memory_bytes).toBe(48 * gibibyte)
    // The first look of a run says nothing about what is counted a second.
    expect(late.received_rate[0]).toBeNull()
    expect(late.received_rate[5]).toBeGreaterThanOrEqual(0)
    // The simulated machine measures no processor of its own.
    expect(new Set(late.processor_cores)).toEqual(new Set([null]))
  })

  test('is measured by one server of several', async () => {
    const { id } = await running(await server.user('25'))
    const first = await collector()
    await first.round()
    const blocks = createBlocks()
    const { services } = server
    const second = createCollector({ ...services, looks: createLooks(services), blocks, log: silent })
    await second.round()
    expect(blocks.open.size).toBe(0)
    expect(services.blocks.open.has(id)).toBe(true)
    await sql`update metric_lease set expires_at = now() - interval '1 s'`.execute(db())
    await second.round()
    expect(blocks.open.has(id)).toBe(true)
  })

  test('is written at the end of the server too, and two rows of the same five minutes are one line of a chart', async () => {
    const user = await server.user('25')
    const { id } = await running(user)
    await toBlock()
    const from = new Date(Math.floor(server.services.clock.now() / blockMs) * blockMs).toISOString()
    const first = await collector()
    await rounds(first, 3)
    await first.finish()
    const second = await collector()
    await rounds(second, 8)
    await second.finish()
    expect((await stored(id)).filter(({ began_at }) => began_at === from)).toHaveLength(2)
    const { memory_bytes } = await user.client.instances.metrics({
      id,
      from,
      to: new Date(Date.parse(from) + blockMs).toISOString(),
    })
    expect(memory_bytes).not.toContain(null)
  })
})

describe('a machine that answers as it should not', () => {
  test('and one that never answers delay no other, and are asked no second time meanwhile', async () => {
    const user = await server.user('25')
    const [stuck, well] = [await running(user), await running(user)]
    const measuring = await collector()
    scripted.set(stuck.ref, () => new Promise(() => {}))
    let began = performance.now()
    await measuring.round()
    expect(performance.now() - began).toBeLessThan(4_500)
    expect(server.services.blocks.open.has(well.id)).toBe(true)
    expect(server.services.blocks.open.has(stuck.id)).toBe(false)
    asked = []
    began = performance.now()
    await sleep(50)
    await measuring.round()
    expect(performance.now() - began).toBeLessThan(1_000)
    expect(asked).not.toContain(stuck.ref)
    began = performance.now()
    const now = await user.client.instances.metricsNow({ id: stuck.id })
    expect(now).toMatchObject({ at: null, memory_bytes: null, cards: [] })
    expect(performance.now() - began).toBeLessThan(4_500)
  })

  test('has no figure where it gave none', async () => {
    const user = await server.user('25')
    const { id, ref } = await running(user)
    const card = stats().cards[0]!
    const garbage = stats({
      processor: { usedMs: NaN, cores: -1 },
      memory: { usedBytes: '7' as never, limitBytes: 1e300 },
      network: { receivedBytes: Infinity, sentBytes: -5 },
      cards: [
        { ...card, load: 7 },
        { ...card, watts: -1 },
        { ...card, uuid: 'x'.repeat(5_000) },
        ...Array.from({ length: 1_000 }, () => ({ ...card, uuid: 'many' })),
      ],
    })
    scripted.set(ref, async () => done(garbage))
    await toBlock()
    const measuring = await collector()
    await rounds(measuring, 11)
    const [row] = await stored(id)
    expect(row!.figures.length).toBeLessThanOrEqual(5 + 16 * 4)
    expect(
      row!.figures
        .slice(0, 5)
        .flat()
        .every(value => value === null),
    ).toBe(true)
    expect(row!.figures[5]![3]).toBe(1)
    const now = await user.client.instances.metricsNow({ id })
    expect(now.cards.length).toBeLessThanOrEqual(16)
    expect(Math.max(...now.cards.map(({ uuid }) => uuid.length))).toBe(100)
    expect(JSON.stringify(now)).not.toMatch(/NaN|Infinity|1e300/)
    scripted.set(ref, async () => {
      throw new Error('a bug of the driver')
    })
    await measuring.round()
    expect((await user.client.instances.metricsNow({ id })).at).not.toBeNull()
  })

  test('and started anew counts from nothing', async () => {
    const user = await server.user('25')
    const { id, ref } = await running(user)
    let usedMs = 60_000
    scripted.set(ref, async () => done(stats({ processor: { usedMs, cores: 8 } })))
    await toBlock()
    const measuring = await collector()
    await measuring.round()
    const from = new Date(Math.floor(server.services.clock.now() / blockMs) * blockMs).toISOString()
    for (const next of [5, 30_005]) {
      await server.advance(lookMs)
      usedMs = next
      await measuring.round()
    }
    const { processor_cores } = await user.client.instances.metrics({ id, from })
    expect(processor_cores.slice(0, 2)).toEqual([null, null])
    expect(processor_cores[2]).toBeCloseTo(1, 0)
  })
})

describe('a chart', () => {
  const block = (id: string, beganMs: number, value: number) => ({
    instanceId: id,
    beganMs,
    figures: Array.from({ length: 9 }, () => Array(10).fill(value)),
    limits: [8, 1e9, 1e9, 1e9],
  })

  test('has at most 300 points however long it is, and each is the mean of its time', async () => {
    const user = await server.user('25')
    const { id } = await user.client.instances.create(a40({ start: false }))
    const end = Math.floor(server.services.clock.now() / blockMs) * blockMs
    const blocks = Array.from({ length: 30 * 288 }, (_, n) => block(id, end - (n + 1) * blockMs, n % 2))
    await writeBlocks(db(), blocks)
    for (const [days, step] of [
      [1 / 24, 30],
      [1, 300],
      [7, 3_600],
      [30, 10_800],
    ] as const) {
      const began = performance.now()
      const chart = await user.client.instances.metrics({
        id,
        from: new Date(end - days * dayMs).toISOString(),
        to: new Date(end).toISOString(),
      })
      expect(performance.now() - began, `${days} days`).toBeLessThan(2_000)
      expect(chart.step_seconds).toBe(step)
      expect(chart.memory_bytes.length).toBeLessThanOrEqual(300)
      const known = chart.memory_bytes.filter(value => value !== null)
      expect(known.length).toBeGreaterThan(50)
      expect(known.reduce((sum, value) => sum + value, 0) / known.length).toBeCloseTo(0.5, 1)
    }
    const { items } = await user.client.instances.loads({ ids: id })
    expect(items).toMatchObject([{ instance_id: id, simulated: true }])
    expect(items[0]!.cells).toHaveLength(96)
    expect(items[0]!.cells.filter(cell => cell !== null).length).toBeGreaterThan(90)
  })

  test.each([
    ['ends before it begins', { from: '2026-01-02T00:00:00.000Z', to: '2026-01-01T00:00:00.000Z' }],
    ['is too long', { from: '2026-01-01T00:00:00.000Z', to: '2026-03-01T00:00:00.000Z' }],
    ['is of a time long ago', { from: '0000-01-01T00:00:00.000Z', to: '0000-01-01T00:01:00.000Z' }],
    ['is of a time to come', { from: '9999-12-31T23:59:58.000Z', to: '9999-12-31T23:59:59.000Z' }],
  ])('that %s is refused with its field', async (_, time) => {
    const user = await server.user('25')
    const { id } = await user.client.instances.create(a40({ start: false }))
    await expect(user.client.instances.metrics({ id, ...time })).rejects.toMatchObject({
      code: 'validation_failed',
    })
  })

  test('a strip tells what ran from what did not, measured or not', async () => {
    const user = await server.user('25')
    const { id } = await user.client.instances.create(a40({ start: false }))
    const now = server.services.clock.now()
    const cell = 900_000
    const newest = (Math.floor(now / cell) + 1) * cell
    // From the middle of one cell to the end of the next, then a second time up to now; and long before.
    const spans = [
      ['open', now - 3 * 86_400_000],
      ['close', now - 2 * 86_400_000],
      ['open', newest - 10.5 * cell],
      ['close', newest - 9 * cell],
      ['open', newest - 1.5 * cell],
    ] as const
    for (const [what, at] of spans)
      await sql`insert into meter_span (meter_id, user_id, kind, what, at, cause) values (${id}, ${user.id}, 'instance', ${what}, ${new Date(at).toISOString()}, 'opened')`.execute(
        server.owner,
      )
    const ranIn = async (of = id) => {
      const { items } = await user.client.instances.loads({ ids: of })
      expect(items[0]!.ran).toHaveLength(96)
      return items[0]!.ran.flatMap((ran, at) => (ran ? [at - 96] : []))
    }
    expect(await ranIn()).toEqual([-11, -10, -2, -1])
    const { id: never } = await user.client.instances.create(a40({ start: false }))
    expect(await ranIn(never)).toEqual([])
    await sql`alter table meter_span disable trigger user`.execute(server.owner)
    await sql`delete from meter_span where meter_id = ${id}`.execute(server.owner)
    await sql`alter table meter_span enable trigger user`.execute(server.owner)
  })

  test('another user’s strip is not there', async () => {
    const [owner, stranger] = [await server.user('25'), await server.user('25')]
    const { id } = await owner.client.instances.create(a40({ start: false }))
    expect((await stranger.client.instances.loads({ ids: id })).items).toEqual([])
    await expect(stranger.client.instances.loads({ ids: '-'.repeat(36) })).rejects.toMatchObject({
      code: 'validation_failed',
    })
  })
})

test('figures of the last 30 days are kept, and those of more than 33 are not, also after a long pause', async () => {
  await sql`delete from metric_block`.execute(db())
  const id = newId()
  const now = Date.parse('2027-06-15T12:00:00.000Z')
  const at = (days: number) => ({
    instanceId: id,
    beganMs: Math.floor((now - days * dayMs) / blockMs) * blockMs,
    figures: [Array(10).fill(1)],
    limits: [],
  })
  await writeBlocks(db(), [...Array(31).keys()].map(at))
  await emptyOld(db(), now)
  expect(await stored(id)).toHaveLength(31)
  // Day by day, as an hourly round would.
  for (let day = 1; day <= 40; day++) {
    await writeBlocks(db(), [at(-day)])
    await emptyOld(db(), now + day * dayMs)
    const rows = await stored(id)
    expect(rows.length).toBeGreaterThanOrEqual(31)
    expect(rows.length).toBeLessThanOrEqual(34)
  }
  await emptyOld(db(), now + 200 * dayMs)
  expect(await stored(id)).toEqual([])
  expect(new Set([...Array(36).keys()].map(day => turnOf(now + day * dayMs))).size).toBe(12)
})

/** What an instance used over a time, in no more points than a chart shows, and what it uses now. */
import type { Driver } from '@ingot/compute/driver'
import { IngotError } from '@ingot/contracts/errors'
import {
  maxMetricPoints,
  metricDays,
  type Metrics,
  type MetricsNow,
  watchEveryMs,
} from '@ingot/contracts/instance/watching'
import { sql } from 'kysely'
import type { Region } from '../../catalog/regions.ts'
import type { Clock } from '../../db/clock.ts'
import type { Db } from '../../db/database.ts'
import { findInstance, type InstanceRow } from '../queries.ts'
import { driverNamed } from '../reconcile/ask.ts'
import {
  type Block,
  blockMs,
  cardLines,
  commonLimits,
  commonLines,
  type Figure,
  lookMs,
  turnsOf,
} from './blocks.ts'
import { type Blocks, blocksOf } from './collect.ts'
import { type Looks, ratesOf } from './looks.ts'

const dayMs = 86_400_000
const longestMs = (metricDays + 1) * dayMs
const steps = [30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800].map(seconds => seconds * 1_000)
/** Points of half an hour and more are made of one look in five minutes: a tenth of the work, and as true. */
const sparseFromMs = 1_800_000
const sparseLook = 5

export interface WatchNeeds {
  readonly clock: Clock
  readonly regions: readonly Region[]
  readonly looks: Looks
  readonly blocks: Blocks
}

const unmeasured: Driver['capabilities']['measures'] = {
  processor: false,
  memory: false,
  disk: false,
  network: false,
  cards: false,
}

/** What can be seen of it, and whether that is made up. */
const seenOf = (row: InstanceRow, regions: readonly Region[]) => ({
  simulated: row.shell === 'simulated',
  measures: driverNamed(regions, row.driver)?.capabilities.measures ?? unmeasured,
})

interface Sum {
  readonly bucket: number
  readonly line: number
  readonly sum: number
  readonly count: number
}

export async function getMetrics(
  db: Db,
  needs: WatchNeeds,
  userId: string,
  { id, from, to }: { readonly id: string; readonly from?: string; readonly to?: string },
): Promise<Metrics> {
  const row = await findInstance(db, userId, id)
  const now = needs.clock.now()
  const toMs = to === undefined ? now : Date.parse(to)
  const wantedMs = from === undefined ? toMs - dayMs : Date.parse(from)
  if (wantedMs >= toMs) throw refused('from', 'must be before the end')
  if (toMs - wantedMs > longestMs)
    throw refused('from', `may be at most ${metricDays + 1} days before the end`)
  if (wantedMs < now - 2 * longestMs) throw refused('from', `nothing is kept longer than ${metricDays} days`)
  if (toMs > now + longestMs) throw refused('to', 'is too far ahead')
  const stepMs = steps.find(each => (toMs - wantedMs) / each < maxMetricPoints - 1) ?? steps.at(-1)!
  const fromMs = Math.floor(wantedMs / stepMs) * stepMs
  const points = Math.ceil((toMs - fromMs) / stepMs)
  const open = blocksOf(needs.blocks, id)

  const stored = await readSums(db, id, fromMs, toMs, stepMs)
  const lines: Figure[][] = []
  const counts: number[][] = []
  for (const { bucket, line, sum, count } of [...stored.sums, ...sumsOf(open, fromMs, stepMs)]) {
    if (bucket < 0 || bucket >= points) continue
    const values = (lines[line] ??= Array.from<Figure>({ length: points }).fill(null))
    const counted = (counts[line] ??= Array.from<number>({ length: points }).fill(0))
    values[bucket] = (values[bucket] ?? 0) + sum
    counted[bucket]! += count
  }
  const series = (line: number): Figure[] =>
    Array.from({ length: points }, (_, at) => {
      const sum = lines[line]?.[at] ?? null
      return sum === null ? null : short(sum / counts[line]![at]!)
    })
  const limits = open.at(-1)?.limits ?? stored.limits ?? []
  const cards = Math.max(0, Math.ceil((lines.length - commonLines) / cardLines))
  return {
    from: new Date(fromMs).toISOString(),
    to: new Date(fromMs + points * stepMs).toISOString(),
    step_seconds: stepMs / 1_000,
    ...seenOf(row, needs.regions),
    limits: limitsOf(limits),
    processor_cores: series(0),
    memory_bytes: series(1),
    disk_bytes: series(2),
    received_rate: series(3),
    sent_rate: series(4),
    cards: Array.from({ length: cards }, (_, card) => {
      const line = commonLines + card * cardLines
      return {
        memory_limit_bytes: limits[commonLimits + card] ?? null,
        load: series(line),
        memory_bytes: series(line + 1),
        celsius: series(line + 2),
        watts: series(line + 3),
      }
    }),
  }
}

const refused = (field: string, message: string) =>
  new IngotError('validation_failed', { fields: { [field]: message } })

const limitsOf = (limits: readonly Figure[]) => ({
  processor_cores: limits[0] ?? null,
  memory_bytes: limits[1] ?? null,
  disk_bytes: limits[2] ?? null,
})

/** A chart has no use for more digits, and half of its bytes would be of them. */
const short = (value: number): number => Number(value.toPrecision(5))

/** A block that lasts beyond the chart on either side is read too: its looks are told apart. */
async function readSums(db: Db, id: string, fromMs: number, toMs: number, stepMs: number) {
  const [earliest, latest] = [fromMs - blockMs, toMs]
  const isSparse = stepMs >= sparseFromMs
  const looks = isSparse
    ? sql`select b.ms + (${sparseLook} - 1) * ${lookMs} as ms, line - 1 as line, b.figures[line][${sparseLook}] as value
        from b, generate_series(1, array_length(b.figures, 1)) line`
    : sql`select b.ms + (place - 1) % 10 * ${lookMs} as ms, (place - 1) / 10 as line, value
        from b, unnest(b.figures) with ordinality as each (value, place)`
  const { rows } = await sql<Sum & { limits: Figure[] | null }>`
    with b as materialized (
      select (extract(epoch from began_at) * 1000)::bigint - ${fromMs}::bigint as ms, figures, limits from metric_block
      where turn = any(${turnsOf(earliest, latest)}::smallint[]) and instance_id = ${id}
        and began_at > ${iso(earliest)}::timestamptz and began_at <= ${iso(latest)}::timestamptz)
    select (ms / ${stepMs})::int as bucket, line::int as line, sum(value::float8) as sum, count(value)::int as count, null::float8[] as limits
    from (${looks}) each where value is not null and ms >= 0 group by 1, 2
    union all
    select null, null, null, null, (select limits::float8[] from b order by ms desc limit 1)`.execute(db)
  const limits = rows.find(row => row.bucket === null)?.limits ?? null
  return { sums: rows.filter(row => row.bucket !== null), limits }
}

function* sumsOf(blocks: readonly Block[], fromMs: number, stepMs: number): Generator<Sum> {
  for (const { beganMs, figures } of blocks)
    for (const [line, values] of figures.entries())
      for (const [look, value] of values.entries())
        if (value !== null) {
          const bucket = Math.floor((beganMs + look * lookMs - fromMs) / stepMs)
          yield { bucket, line, sum: value, count: 1 }
        }
}

const iso = (ms: number): string => new Date(ms).toISOString()

export async function getMetricsNow(
  db: Db,
  needs: WatchNeeds,
  userId: string,
  id: string,
): Promise<MetricsNow> {
  const row = await findInstance(db, userId, id)
  const reading = row.status === 'running' ? await needs.looks.look(row, watchEveryMs - 500) : null
  const rates = reading && ratesOf(reading, needs.looks.previous(id))
  return {
    at: reading && iso(reading.at),
    ...seenOf(row, needs.regions),
    limits: {
      processor_cores: reading?.processor?.cores ?? null,
      memory_bytes: reading?.memory?.limitBytes ?? null,
      disk_bytes: reading?.disk?.sizeBytes ?? null,
    },
    processor_cores: rates?.processorCores ?? null,
    memory_bytes: reading?.memory?.usedBytes ?? null,
    disk_bytes: reading?.disk?.usedBytes ?? null,
    received_rate: rates?.receivedRate ?? null,
    sent_rate: rates?.sentRate ?? null,
    cards: (reading?.cards ?? []).map(card => ({
      uuid: card.uuid,
      load: card.load,
      memory_bytes: card.memoryUsedBytes,
      memory_limit_bytes: card.memoryBytes,
      celsius: card.celsius,
      watts: card.watts,
    })),
  }
}

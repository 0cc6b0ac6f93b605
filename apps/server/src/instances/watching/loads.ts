/** The load of many instances over a day, in cells: what a strip shows. From the index alone. */
import { IngotError } from '@ingot/contracts/errors'
import { isId } from '@ingot/contracts/operation'
import type { Output } from '@ingot/contracts/operation'
import type { instances } from '@ingot/contracts/instances'
import { maxLoads, stripCellMs, stripCells } from '@ingot/contracts/instance/watching'
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { driverNamed } from '../reconcile/ask.ts'
import { turnsOf } from './blocks.ts'
import type { WatchNeeds } from './metrics.ts'

export async function listLoads(
  db: Db,
  { clock, regions }: WatchNeeds,
  userId: string,
  ids: string | undefined,
): Promise<Output<typeof instances.loads>> {
  const wanted = ids?.split(',') ?? null
  if (wanted?.some(id => !isId(id)))
    throw new IngotError('validation_failed', { fields: { ids: 'must be ids' } })
  const now = clock.now()
  // The last cell is the present one, and may be cut short.
  const toMs = (Math.floor(now / stripCellMs) + 1) * stripCellMs
  const fromMs = toMs - stripCells * stripCellMs
  const from = new Date(fromMs).toISOString()
  const { rows } = await sql<{
    id: string
    driver: string
    hardware: string
    buckets: number[] | null
    loads: number[] | null
    ran: number[] | null
  }>`
    with mine as (
      select id, driver, hardware from gpu_instances
      where user_id = ${userId} and status <> 'terminated' and (${wanted}::uuid[] is null or id = any(${wanted}::uuid[]))
      order by id desc limit ${maxLoads})
    select mine.*, buckets, loads, ran from mine, lateral (
      select array_agg(bucket) as buckets, array_agg(load) as loads from (
        select floor(extract(epoch from began_at - ${from}::timestamptz) * 1000 / ${stripCellMs})::int as bucket, avg(load)::float8 as load
        from metric_block
        where turn = any(${turnsOf(fromMs, now)}::smallint[]) and instance_id = mine.id and load is not null
          and began_at >= ${from}::timestamptz and began_at < ${new Date(toMs).toISOString()}::timestamptz
        group by 1) cell) strip, lateral (
      select array_agg(distinct bucket) as ran from (
        select what, ms_of(at) - ${fromMs} as began, coalesce(ms_of(lead(at) over (order by id)), ${now}) - ${fromMs} as ended
        from meter_span where meter_id = mine.id and id >= coalesce((
          select id from meter_span where meter_id = mine.id and at < ${from}::timestamptz order by id desc limit 1), 0)) span,
        generate_series(greatest(0, div(began, ${stripCellMs})), least(${stripCells}, ceil(ended / ${stripCellMs}::numeric)) - 1) bucket
      where what = 'open') metered`.execute(db)
  return {
    from,
    cell_seconds: stripCellMs / 1_000,
    items: rows.map(({ id, driver, hardware, buckets, loads, ran }) => {
      const cells = Array.from<number | null>({ length: stripCells }).fill(null)
      for (const [at, bucket] of (buckets ?? []).entries()) cells[bucket] = Math.round(loads![at]! * 100)
      const metered = new Set(ran?.map(Number))
      return {
        instance_id: id,
        simulated: hardware === 'simulated',
        measured: driverNamed(regions, driver)?.capabilities.measures.cards ?? false,
        cells,
        ran: cells.map((_, at) => metered.has(at)),
      }
    }),
  }
}

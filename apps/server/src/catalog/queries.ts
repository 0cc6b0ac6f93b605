/** What is on sale and for how much, and what can be deployed of it now. */
import { type ListedGpu, listedGpu } from '@ingot/contracts/catalog'
import type { GpuEntry, RegionEntry } from '@ingot/contracts/catalog-calls'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { countStock } from './places.ts'
import type { Region } from './regions.ts'

/** The catalogue at one moment. */
export interface CatalogInForce {
  readonly gpus: readonly ListedGpu[]
  /** Not on sale any more; those that run, run on. */
  readonly formerGpus: readonly ListedGpu[]
  /** Names of those on sale. */
  readonly regions: readonly string[]
  /** When the next price takes effect; null: none is set. */
  readonly until: string | null
}

interface GpuRow {
  readonly name: string
  readonly is_on_sale: boolean
  readonly memory_gb: number
  readonly vcpus: number
  readonly ram_gb: number
  readonly hourly_micro: bigint
  readonly three_months_micro: bigint
  readonly year_micro: bigint
}

const listed = (row: GpuRow): ListedGpu =>
  listedGpu(row.name, row, {
    hourly: row.hourly_micro,
    '3month': row.three_months_micro,
    '1year': row.year_micro,
  })

export async function readCatalog(db: Db, at: string): Promise<CatalogInForce> {
  const [gpus, regions, next] = await Promise.all([
    sql<GpuRow>`select * from gpus_at(${at})`.execute(db),
    sql<{ name: string }>`select name from region where is_on_sale order by position, name`.execute(db),
    sql<{ until: string | null }>`
      select min(holds_from) as until from gpu_price where holds_from > ${at}`.execute(db),
  ])
  return {
    gpus: gpus.rows.filter(row => row.is_on_sale).map(listed),
    formerGpus: gpus.rows.filter(row => !row.is_on_sale).map(listed),
    regions: regions.rows.map(row => row.name),
    until: next.rows[0]!.until,
  }
}

/** A GPU as this transaction sees it; undefined: there is none of this name with a price. */
export async function findGpu(
  tx: Tx,
  name: string,
  at: string,
): Promise<{ readonly gpu: ListedGpu; readonly isOnSale: boolean } | undefined> {
  const { rows } = await sql<GpuRow>`select * from gpus_at(${at}) where name = ${name}`.execute(tx)
  return rows[0] && { gpu: listed(rows[0]), isOnSale: rows[0].is_on_sale }
}

export async function isRegionOnSale(tx: Tx, name: string): Promise<boolean> {
  const row = await tx.selectFrom('region').select('is_on_sale').where('name', '=', name).executeTakeFirst()
  return row?.is_on_sale ?? false
}

/** Every GPU on sale, and how many of it each region on sale could place now. */
export async function listGpus(
  db: Db,
  { gpus, regions: onSale }: CatalogInForce,
  regions: readonly Region[],
): Promise<GpuEntry[]> {
  const offering = regions.filter(region => region.available && onSale.includes(region.id))
  const names = gpus.map(gpu => gpu.name)
  const stock = await countStock(db, [...new Set(offering.map(({ driver }) => driver))], names)
  return gpus.map(gpu => {
    const offered = offering.flatMap(({ id, driver }) => {
      const offer = stock.get(driver)?.get(gpu.name)
      return offer ? [{ id, ...offer }] : []
    })
    return {
      ...gpu,
      free: Object.fromEntries(offered.map(({ id, free }) => [id, free])),
      free_in_all: [...stock.values()].reduce((sum, types) => sum + (types.get(gpu.name)?.free ?? 0), 0),
      largest: Object.fromEntries(offered.map(({ id, largest }) => [id, largest])),
    }
  })
}

/** Every region; one that is off sale takes no new instances. */
export const listRegions = (
  { regions: onSale }: Pick<CatalogInForce, 'regions'>,
  regions: readonly Region[],
): RegionEntry[] =>
  regions.map(({ compute: _, ...entry }) =>
    onSale.includes(entry.id) ? entry : { ...entry, available: false, reason: regionOffSale },
  )

export const regionOffSale = 'This region takes no new instances.'

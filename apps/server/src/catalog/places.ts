/**
 * Places: what a start takes of a host. They are rows (`host`, `card`, `allocation`), so a command takes its place in its
 * own transaction, and what is free is what the drivers last told of less what instances have. An instance has its place
 * from the moment its start is asked for until its driver has confirmed the stop, and for as long as it is paid in advance.
 */
import { gpuCounts, leastStorageGb } from '@ingot/contracts/catalog'
import { IngotError } from '@ingot/contracts/errors'
import type { PlacementReason } from '@ingot/contracts/instance/places'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'

interface Wish {
  readonly id: string
  readonly driver: string
  readonly region: string
  readonly gpu_type: string
  readonly gpu_count: number
  readonly cpu_cores: number
  readonly memory_gb: number
  readonly storage_gb: number
  /** The host that keeps its disk; null: it has none yet. */
  readonly host_id: bigint | null
  /** Its turn, where it has waited: others are not before it. */
  readonly turn?: bigint
}

/** A refusal, which the transaction that it ends cannot keep. */
export class NoPlace extends IngotError {
  readonly instanceId: string
  readonly reason: PlacementReason

  constructor(instanceId: string, reason: PlacementReason, message: string) {
    super('no_capacity', { message: `${message} Nothing was charged.` })
    this.instanceId = instanceId
    this.reason = reason
  }
}

/**
 * Takes a place, or keeps the one that it has, and returns its host: throws `NoPlace` when none is free, or somebody who
 * waits could have it. `until`: of one
 * that is paid in advance and does not start. The host's row is the last that a command locks.
 */
export async function placeInstance(tx: Tx, wish: Wish, at: string, until: string | null): Promise<bigint> {
  try {
    const { rows } = await sql<{ host: bigint }>`
      select place_in_turn(${wish.id}, ${wish.driver}, ${wish.gpu_type}, ${wish.gpu_count}, ${wish.cpu_cores},
        ${wish.memory_gb}, ${wish.host_id === null ? wish.storage_gb : 0}, ${wish.host_id}, ${until}, ${wish.turn ?? null}, ${at}) as host`.execute(
      tx,
    )
    return rows[0]!.host
  } catch (error) {
    const reason = whyNoPlace(error)
    throw reason ? new NoPlace(wish.id, reason, messageOf(wish, reason)) : error
  }
}

/** Refused with words where no host has so much at all: whoever waited for it would wait for ever. */
export async function assertCouldBePlaced(tx: Tx, wish: Wish): Promise<void> {
  const { driver, gpu_type, gpu_count, cpu_cores, memory_gb, region } = wish
  const { rows } = await sql<{ could: boolean }>`
    select could_be_placed(${driver}, ${gpu_type}, ${gpu_count}, ${cpu_cores}, ${memory_gb}) as could`.execute(
    tx,
  )
  if (rows[0]!.could) return
  const message = `No host in ${region} has ${gpu_count}× ${gpu_type}, however long you wait.`
  throw new NoPlace(wish.id, 'not_offered', message)
}

/** Null: the error says something else. */
export function whyNoPlace(error: unknown): PlacementReason | null {
  const { code, detail } = error as { readonly code?: string; readonly detail?: PlacementReason }
  return code === 'IN410' ? (detail ?? 'disk') : null
}

function messageOf({ host_id, gpu_count, gpu_type, region }: Wish, reason: PlacementReason): string {
  const what = `${gpu_count > 1 ? `${gpu_count}× ` : ''}${gpu_type}`
  if (host_id === null) return `No ${what} is free in ${region} right now.`
  if (reason === 'cordoned')
    return 'The host that keeps this instance’s disk is being maintained right now. Its disk is kept.'
  return reason === 'away'
    ? 'The host that keeps this instance’s disk does not answer right now.'
    : `No ${what} is free right now on the host that keeps this instance’s disk.`
}

/** For a refusal, once its transaction has ended. */
export async function keepRefusal(db: Db, { instanceId, reason }: NoPlace, at: string): Promise<void> {
  await sql`select keep_placement(${instanceId}, 'refused', ${reason}, ${at}, null, '{}')`.execute(db)
}

/** What the driver said of a start that has its place. */
export async function keepAnswer(
  tx: Tx,
  instanceId: string,
  outcome: 'refused' | 'waiting',
  message: string,
  at: string,
): Promise<void> {
  await sql`select keep_placement(${instanceId}, ${outcome}, 'driver', ${at}, null, '{}', ${message})`.execute(
    tx,
  )
}

export interface Stock {
  /** How many of it could be placed now. */
  readonly free: number
  /** The most of them that one instance could have. */
  readonly largest: number
}

/** What each host could give now (`shown`). Where none has cards of its own, how many machines of any type. */
const shownOf = (drivers: readonly string[]) => sql`
  with each as (
    select h.*, i.seen_at > silent_since() and h.is_there and h.cordoned_at is null as is_heard,
      case when h.disk_gb is null then 2147483647 else greatest(0, (h.disk_gb - h.disk_gb_taken) / ${leastStorageGb}) end as disks
    from host h join driver_inventory i on i.driver = h.driver where h.driver = any(${drivers})),
  shown as (
    select h.driver, p.gpu_type, case when h.is_heard and h.machines_taken < h.machines then
      greatest(0, least(p.free, (h.cpu_cores - h.cpu_cores_taken) / g.vcpus, (h.memory_gb - h.memory_gb_taken) / g.ram_gb, h.disks)) else 0 end as free
    from each h join card_pool p on p.host_id = h.id join gpu_type g on g.name = p.gpu_type where h.has_cards
    union all
    select driver, null, case when is_heard then greatest(0, least(machines - machines_taken, disks)) else 0 end
    from each h where not has_cards and not exists (select from host o where o.driver = h.driver and o.has_cards))`

/** By driver and GPU type. A type that none of a driver's hosts has is left out. */
export async function countStock(
  db: Db,
  drivers: readonly string[],
  gpuTypes: readonly string[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, Stock>>> {
  const { rows } = await sql<{ driver: string; gpu_type: string | null; free: number; most: number }>`
    ${shownOf(drivers)}
    select driver, gpu_type, sum(free)::int as free, max(free)::int as most from shown group by driver, gpu_type`.execute(
    db,
  )
  const largest = Math.max(...gpuCounts)
  return new Map(
    drivers.map(driver => {
      const own = rows.filter(row => row.driver === driver)
      const any = own.find(row => row.gpu_type === null)
      const stock = gpuTypes.flatMap((gpuType): [string, Stock][] => {
        const cards = own.find(row => row.gpu_type === gpuType)
        if (cards) return [[gpuType, { free: cards.free, largest: Math.min(cards.most, largest) }]]
        return any ? [[gpuType, { free: any.free, largest: any.free > 0 ? largest : 0 }]] : []
      })
      return [driver, new Map(stock)]
    }),
  )
}

/** Cards that could be placed now, of all types together. A host without cards of its own shows one a machine. */
export async function countFree(db: Db, drivers: readonly string[]): Promise<number> {
  const { rows } = await sql<{ free: number }>`
    ${shownOf(drivers)} select coalesce(sum(free), 0)::int as free from shown`.execute(db)
  return rows[0]!.free
}

/**
 * Places: what a start takes, and how many of them are left. A pool belongs to a driver, whatever regions it serves: its
 * cards of one type, or its machines of any. A place counts as free when the driver has it and no instance holds it by
 * its row, which an instance does from the moment its start is asked for until its machine has stopped.
 */
import type { Driver } from '@ingot/compute/driver'
import { gpuCounts } from '@ingot/contracts/catalog'
import { IngotError } from '@ingot/contracts/errors'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'

interface Wish {
  readonly gpu_type: string
  readonly gpu_count: number
  readonly region: string
}

interface Offer {
  readonly gpuType: string
  readonly pool: 'cards' | 'machines'
  readonly places: number
}

async function offersOf(driver: Driver, gpuTypes: readonly string[]): Promise<Offer[]> {
  const answer = await driver.inventory()
  const hosts = answer.kind === 'done' ? answer.value : []
  if (hosts.some(({ cards }) => cards === null)) {
    const places = hosts.reduce((sum, { machines }) => sum + machines, 0)
    return gpuTypes.map(gpuType => ({ gpuType, pool: 'machines', places }))
  }
  const cards = hosts.flatMap(host => host.cards ?? [])
  return gpuTypes.flatMap(gpuType => {
    const places = cards.filter(({ model }) => model === gpuType).length
    return places ? [{ gpuType, pool: 'cards' as const, places }] : []
  })
}

/** What one machine takes of the pool that it is sold from. */
const takes = ({ pool }: Offer, gpuCount: number): number => (pool === 'cards' ? gpuCount : 1)

/** A place for `wish`, or `no_capacity`. It is held by the statement that writes `driver` into the instance's row. */
export async function findPlace(
  compute: Driver,
  wish: Wish,
): Promise<{ driver: RawBuilder<string>; orRefuse: <T>(statement: Promise<T>) => Promise<T> }> {
  const refusal = () =>
    new IngotError('no_capacity', {
      message: `No ${wish.gpu_count > 1 ? `${wish.gpu_count}× ` : ''}${wish.gpu_type} is free in ${wish.region} right now. Nothing was charged.`,
    })
  const offer = (await offersOf(compute, [wish.gpu_type]))[0]
  if (!offer || offer.places < takes(offer, wish.gpu_count)) throw refusal()
  return {
    driver: sql<string>`hold_place(${compute.name}, ${offer.pool === 'cards' ? wish.gpu_type : null},
      ${takes(offer, wish.gpu_count)}, ${offer.places})`,
    async orRefuse(statement) {
      try {
        return await statement
      } catch (error) {
        throw (error as { code?: string }).code === 'IN410' ? refusal() : error
      }
    },
  }
}

/** By driver and GPU type: how many places are free now, and the most cards that one instance could have. */
export async function countPlaces(
  db: Db,
  drivers: readonly Driver[],
  gpuTypes: readonly string[],
): Promise<ReadonlyMap<Driver, ReadonlyMap<string, { free: number; largest: number }>>> {
  const { rows: held } = await sql<{ driver: string; gpu_type: string; machines: number; cards: number }>`
    select driver, gpu_type, count(*)::int as machines, sum(gpu_count)::int as cards from gpu_instances
    where status in ('starting', 'running', 'stopping') group by driver, gpu_type`.execute(db)
  const counted = drivers.map(async driver => {
    const own = held.filter(row => row.driver === driver.name)
    const free = (offer: Offer): number => {
      const taken =
        offer.pool === 'cards'
          ? (own.find(row => row.gpu_type === offer.gpuType)?.cards ?? 0)
          : own.reduce((sum, row) => sum + row.machines, 0)
      return Math.max(0, offer.places - taken)
    }
    const offers = (await offersOf(driver, gpuTypes)).map(offer => {
      const left = free(offer)
      const most = offer.pool === 'cards' ? left : left && Infinity
      return [offer.gpuType, { free: left, largest: Math.min(most, Math.max(...gpuCounts)) }] as const
    })
    return [driver, new Map(offers)] as const
  })
  return new Map(await Promise.all(counted))
}

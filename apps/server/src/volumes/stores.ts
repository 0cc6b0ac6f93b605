/** Where volumes are kept: the store beside the driver of a region, and whether volumes are sold there. */
import type { Driver } from '@ingot/compute/driver'
import type { StoringDriver, VolumeStore } from '@ingot/compute/volumes'
import type { Volume, volumes } from '@ingot/contracts/volumes'
import { IngotError } from '@ingot/contracts/errors'
import type { Output } from '@ingot/contracts/operation'
import { sql } from 'kysely'
import type { Region } from '../catalog/regions.ts'
import type { Config } from '../config.ts'
import type { Db, Tx } from '../db/database.ts'

export interface StoreNeeds {
  readonly regions: readonly Region[]
}

const storeBeside = (driver: Driver | undefined): VolumeStore | undefined =>
  driver && 'volumes' in driver ? (driver as StoringDriver).volumes : undefined

/** Of a driver by its name; none where this machine does not have it now. */
export const storeNamed = ({ regions }: StoreNeeds, driver: string): VolumeStore | undefined =>
  storeBeside(regions.find(region => region.compute.name === driver)?.compute)

/** For a call that needs its answer now. */
export function storeOf(needs: StoreNeeds, driver: string): VolumeStore {
  const store = storeNamed(needs, driver)
  if (store) return store
  throw new IngotError('unavailable', {
    message: `The ${driver} driver keeps no volumes on this machine now.`,
  })
}

export interface SaleNeeds extends StoreNeeds {
  readonly config: Pick<Config, 'loopback' | 'insists'>
}

/** Of disks. */
export const hardwareOf = (driver: string): Volume['hardware'] =>
  driver === 'simulated' ? 'simulated' : 'real'

interface RegionRow {
  readonly has_volumes: boolean
  readonly is_on_sale: boolean
}

/** Why no volume can be made there; null: it can. */
function whyNot({ config }: SaleNeeds, region: Region, row: RegionRow | undefined): string | null {
  if (!row?.has_volumes) return 'Network volumes are not offered in this region.'
  if (region.reason !== null) return region.reason
  if (!row.is_on_sale) return 'This region takes no new volumes.'
  const store = storeBeside(region.compute)
  if (!store) return 'The machines of this region keep no volumes.'
  // One tenant could fill the disk of all.
  if (!store.capabilities.enforcesSize && !config.loopback && region.driver !== 'simulated')
    return 'Nothing holds a volume to its size on this host, so none is sold on a public address.'
  return null
}

/** Where a volume can be made, and how many instances there could have one now. */
export async function listVolumeRegions(
  db: Db,
  needs: SaleNeeds,
  userId: string,
): Promise<Output<typeof volumes.regions>> {
  const { rows } = await sql<RegionRow & { name: string; instances: number }>`
    select r.name, r.has_volumes, r.is_on_sale, (select count(*)::int from gpu_instances i where i.user_id = ${userId} and i.region = r.name
      and i.status in ('stopped', 'running') and i.desired <> 'deleted' and i.network_volume_id is null) as instances
    from region r`.execute(db)
  const items = needs.regions.map(region => {
    const row = rows.find(each => each.name === region.id)
    const reason = whyNot(needs, region, row)
    const can = storeBeside(region.compute)?.capabilities
    return {
      region: region.id,
      available: reason === null,
      reason,
      // Of the disk: a machine with simulated cards may have a real one.
      hardware: hardwareOf(region.driver),
      enforces_size: can?.enforcesSize ?? false,
      attaches_while_running: can?.whileRunning ?? false,
      instances: row?.instances ?? 0,
    }
  })
  return { items, next_cursor: null }
}

/** The region that a new volume may be made in, and its store. */
export async function storeForSale(
  tx: Tx,
  needs: SaleNeeds,
  name: string,
): Promise<{ readonly region: Region; readonly store: VolumeStore }> {
  const region = needs.regions.find(candidate => candidate.id === name)
  if (!region)
    throw new IngotError('validation_failed', {
      fields: { region: 'there is no such region: see GET /v1/volumes/regions' },
    })
  const row = await tx
    .selectFrom('region')
    .select(['has_volumes', 'is_on_sale'])
    .where('name', '=', name)
    .executeTakeFirst()
  const reason = whyNot(needs, region, row)
  if (reason !== null)
    throw new IngotError('invalid_state', {
      message: `${reason} Nothing was charged.`,
      fields: { region: reason },
    })
  return { region, store: storeBeside(region.compute)! }
}

/** What can be deployed now: what the drivers have, less what instances hold. */
import { gpuListing } from '@ingot/contracts/catalog'
import type { GpuEntry, RegionEntry } from '@ingot/contracts/catalog-calls'
import type { Db } from '../db/database.ts'
import { countPlaces } from './places.ts'
import type { Region } from './regions.ts'

/** Every GPU type, and how many of it each region on sale could place now. */
export async function listGpus(db: Db, regions: readonly Region[]): Promise<GpuEntry[]> {
  const onSale = regions.filter(region => region.available)
  const places = await countPlaces(db, [...new Set(onSale.map(region => region.compute))])
  return gpuListing().map(gpu => {
    const offered = onSale.flatMap(({ id, compute }) => {
      const offer = places.get(compute)?.get(gpu.name)
      return offer ? [{ id, ...offer }] : []
    })
    return {
      ...gpu,
      free: Object.fromEntries(offered.map(({ id, free }) => [id, free])),
      free_in_all: [...places.values()].reduce((sum, offers) => sum + (offers.get(gpu.name)?.free ?? 0), 0),
      largest: Object.fromEntries(offered.map(({ id, largest }) => [id, largest])),
    }
  })
}

export const listRegions = (regions: readonly Region[]): RegionEntry[] =>
  regions.map(({ compute: _, ...entry }) => entry)

/** What can be deployed now, as the drivers say; nothing of it is stored. */
import { type GpuEntry, gpuListing, type RegionEntry } from '@ingot/contracts/catalog'
import type { Region } from './regions.ts'

/** Every GPU type, and how many of it each region on sale could place now. */
export async function listGpus(regions: readonly Region[]): Promise<GpuEntry[]> {
  const free = await freeByGpu(regions.filter(region => region.available))
  return gpuListing().map(gpu => ({ ...gpu, free: free.get(gpu.name) ?? {} }))
}

export const listRegions = (regions: readonly Region[]): RegionEntry[] =>
  regions.map(({ compute: _, ...entry }) => entry)

/** What the drivers say they could place now: GPU → region → count. */
async function freeByGpu(regions: readonly Region[]): Promise<Map<string, Record<string, number>>> {
  const offers = await Promise.all(
    regions.map(async region => ({ region, offers: await region.compute.offers() })),
  )
  const free = new Map<string, Record<string, number>>()
  for (const { region, offers: list } of offers) {
    for (const offer of list) {
      const counts = free.get(offer.gpuType) ?? {}
      counts[region.id] = offer.free
      free.set(offer.gpuType, counts)
    }
  }
  return free
}

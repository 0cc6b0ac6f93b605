import { type catalog, gpuListing } from '@ingot/contracts/catalog'
import type { Handlers } from '../http/bind.ts'
import type { Region } from './regions.ts'

export function catalogRoutes({ regions }: { regions: readonly Region[] }): Handlers<typeof catalog> {
  return {
    gpus: async () => {
      const free = await freeByGpu(regions.filter(region => region.available))
      return {
        items: gpuListing().map(gpu => ({ ...gpu, free: free.get(gpu.name) ?? {} })),
        next_cursor: null,
      }
    },
    regions: async () => ({
      items: regions.map(({ compute: _, ...entry }) => entry),
      next_cursor: null,
    }),
  }
}

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

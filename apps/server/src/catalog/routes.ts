import type { catalog } from '@ingot/contracts/catalog'
import type { Handlers } from '../http/bind.ts'
import { listGpus, listRegions } from './queries.ts'
import type { Region } from './regions.ts'

export function catalogRoutes({ regions }: { regions: readonly Region[] }): Handlers<typeof catalog> {
  return {
    gpus: async () => ({ items: await listGpus(regions), next_cursor: null }),
    regions: async () => ({ items: listRegions(regions), next_cursor: null }),
  }
}

import type { catalog } from '@ingot/contracts/catalog-calls'
import type { Database } from '../db/database.ts'
import type { Handlers } from '../http/bind.ts'
import { listGpus, listRegions } from './queries.ts'
import type { Region } from './regions.ts'

interface CatalogNeeds {
  readonly database: Database
  readonly regions: readonly Region[]
}

export function catalogRoutes({ database, regions }: CatalogNeeds): Handlers<typeof catalog> {
  return {
    gpus: async () => ({ items: await listGpus(database.kysely, regions), next_cursor: null }),
    regions: async () => ({ items: listRegions(regions), next_cursor: null }),
  }
}

import type { catalog } from '@ingot/contracts/catalog-calls'
import type { Database } from '../db/database.ts'
import type { Handlers } from '../http/bind.ts'
import type { Catalog } from './catalog.ts'
import { listHosts, listUnpriced } from './hosts.ts'
import { listGpus, listRegions } from './queries.ts'
import type { Region } from './regions.ts'

interface CatalogNeeds {
  readonly database: Database
  readonly catalog: Catalog
  readonly regions: readonly Region[]
}

export function catalogRoutes(needs: CatalogNeeds): Handlers<typeof catalog> {
  const { database, regions } = needs
  return {
    gpus: async () => ({
      items: await listGpus(database.kysely, await needs.catalog.now(), regions),
      next_cursor: null,
    }),
    hosts: async (input, { db }) => ({ ...(await listHosts(db, input)), unpriced: await listUnpriced(db) }),
    regions: async () => ({ items: listRegions(await needs.catalog.now(), regions), next_cursor: null }),
  }
}

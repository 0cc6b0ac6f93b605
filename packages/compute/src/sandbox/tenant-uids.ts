/** As root, each tenant's machines run as a uid that nobody else on the host has. */
import type { MachineStore } from './machine-store.ts'
import { usedUids } from './processes.ts'

export interface TenantUids {
  /** The tenant's; null where all machines run as this process does. */
  of(tenant: string): Promise<number | null>
}

export function tenantUids(store: MachineStore, firstUid: number | null): TenantUids {
  return {
    async of(tenant) {
      if (firstUid === null) return null
      const known = store.uidOf(tenant)
      if (known !== null) return known
      const used = await usedUids()
      // Another of this tenant's machines may have got one meanwhile.
      return store.uidOf(tenant) ?? store.claimUid(tenant, firstUid, candidate => !used.has(candidate))
    },
  }
}

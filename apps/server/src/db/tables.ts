/**
 * The tables as TypeScript sees them, each in the file of its room: `bigint` is BigInt, `timestamptz` the wire's
 * string. `tables.test.ts` holds them against the catalogue, column by column.
 */
import type { AccountsTables } from './tables/accounts.ts'
import type { AuthTables } from './tables/auth.ts'
import type { CatalogTables } from './tables/catalog.ts'
import type { FilesTables } from './tables/files.ts'
import type { InstancesTables } from './tables/instances.ts'
import type { LedgerTables } from './tables/ledger.ts'
import type { PlatformTables } from './tables/platform.ts'
import type { SiteTables } from './tables/site.ts'
import type { SupportTables } from './tables/support.ts'
import type { TemplatesTables } from './tables/templates.ts'
import type { VolumesTables } from './tables/volumes.ts'
import type { WalletTables } from './tables/wallet.ts'

export interface Tables
  extends
    PlatformTables,
    AuthTables,
    LedgerTables,
    WalletTables,
    CatalogTables,
    TemplatesTables,
    VolumesTables,
    FilesTables,
    InstancesTables,
    AccountsTables,
    SupportTables,
    SiteTables {}

import type { Logger } from 'pino'
import type { Region } from '../catalog/regions.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import type { Vault } from '../vault.ts'
import type { Chain } from '../wallet/chain.ts'
import type { Signals } from '../worker/signals.ts'

/** What this room works with. */
export interface SiteServices {
  readonly config: Config
  readonly log: Logger
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly signals: Signals
  readonly regions: readonly Region[]
  readonly chain: Chain
}

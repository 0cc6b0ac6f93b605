import type { Config } from '../config.ts'
import type { Clock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import type { Vault } from '../vault.ts'
import type { Signals } from '../worker/signals.ts'

/** What the commands of this room work with. */
export interface AccountServices {
  readonly config: Pick<Config, 'loopback' | 'publicUrl'>
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly signals: Signals
}

import type { Logger } from 'pino'
import type { Clock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import type { Signals } from '../worker/signals.ts'
import type { Chain } from './chain.ts'
import type { Waiting } from './waiting.ts'

/** What deposits work with. */
export interface WalletServices {
  readonly chain: Chain
  readonly database: Database
  readonly clock: Clock
  readonly signals: Signals
  readonly log: Logger
  readonly waiting: Waiting
}

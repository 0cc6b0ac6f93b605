import type { Logger } from 'pino'
import type { Region } from '../catalog/regions.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import type { Signals } from '../worker/signals.ts'

/** What the commands of this room work with. */
export interface InstanceServices {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly signals: Signals
  readonly regions: readonly Region[]
  readonly log: Logger
}

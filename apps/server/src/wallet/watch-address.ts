import { parseAddress } from '@ingot/tron/address'
import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Signals } from '../worker/signals.ts'
import type { Chain } from './chain.ts'
import type { Waiting } from './waiting.ts'

export interface WatchNeeds {
  readonly chain: Chain
  readonly database: Database
  readonly signals: Signals
  readonly waiting: Waiting
}

/**
 * Somebody waits for a transfer to `address`: the scanner looks now, and often for a while. However many wait, or say so
 * again, it looks no more often than that; and one that the provider asked for patience is left alone.
 */
export async function watchAddress(
  { chain, database, signals, waiting }: WatchNeeds,
  address: string,
): Promise<void> {
  waiting.add(parseAddress(address))
  await sql`update chain_cursor set due_at = now()
    where chain = ${chain.name} and stopped_reason is null and due_at > now() + ${chain.scanEveryMs.watched} * interval '1 ms'`.execute(
    database.kysely,
  )
  signals.send('chain_cursor')
}

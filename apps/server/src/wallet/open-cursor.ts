import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import type { Signals } from '../worker/signals.ts'
import type { Chain } from './chain.ts'

interface OpenNeeds {
  readonly chain: Chain
  readonly database: Database
}

export interface CursorNeeds extends OpenNeeds {
  readonly signals: Signals
  readonly log: Logger
}

const retryMs = 5_000

/**
 * Sets the scanner's starting point: the solid head of the moment. Done once, before any address is shown. A chain that
 * cannot be reached is tried again; it delays deposits, nothing else.
 */
export async function openCursor(needs: CursorNeeds, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await open(needs)
      needs.signals.send('chain_cursor')
      return
    } catch (error) {
      needs.log.error({ err: error }, 'the chain cannot be reached; no deposit address is given out yet')
      await sleep(retryMs, undefined, { signal }).catch(() => {})
    }
  }
}

async function open({ chain, database }: OpenNeeds): Promise<void> {
  const present = await database.kysely
    .selectFrom('chain_cursor')
    .select('chain')
    .where('chain', '=', chain.name)
    .executeTakeFirst()
  if (present) return
  const { height, blockId, timeMs } = await chain.endpoints.ask(reader => reader.head('solid'))
  await database.kysely
    .insertInto('chain_cursor')
    .values({
      chain: chain.name,
      height: BigInt(height),
      block_id: blockId,
      block_at: new Date(timeMs).toISOString(),
    })
    .onConflict(conflict => conflict.column('chain').doNothing())
    .execute()
}

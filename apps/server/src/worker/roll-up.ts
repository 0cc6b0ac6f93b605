/**
 * Sums that are counted behind what was written, so that no write pays for them and no page adds up a history. What is
 * newer than the last round is read from the rows themselves, so a round that comes late makes a page slower and
 * nothing wrong. Several processes may count at once.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { type Running, startRunning } from './running.ts'

interface RollUpNeeds {
  readonly database: Database
  readonly log: Logger
}

const usuallyEveryMs = 15 * 60_000

/** `step`: a function of the database that does one step and says whether there may be more. */
export const startRollUp = (needs: RollUpNeeds, step: string, everyMs = usuallyEveryMs): Running =>
  startRunning(async signal => {
    while (!signal.aborted) {
      await rollUp(needs, step, signal).catch(error =>
        needs.log.error({ err: error, step }, 'sums were not counted'),
      )
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {})
    }
  })

async function rollUp({ database }: RollUpNeeds, step: string, signal: AbortSignal): Promise<void> {
  let isMore = true
  while (isMore && !signal.aborted) {
    const { rows } = await sql<{ more: boolean }>`select ${sql.ref(step)}() as more`.execute(database.kysely)
    isMore = rows[0]!.more
  }
}

/**
 * Deletes what is kept for a time only, hourly, a batch at a time: facts that nobody reads after they have woken a stream,
 * and the answers stored under idempotency keys. What activity shows is kept, and so is everything about money: a key of
 * the ledger never expires. Several processes may do it at once; a kill leaves the rest to the next round.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { shownTypes } from '../activity/queries.ts'
import type { Database, Db } from '../db/database.ts'
import { type Running, startRunning } from '../worker/running.ts'

const dayMs = 86_400_000
const factDays = 7
const answerDays = 30
/** Beside what activity shows: who ended an account, and when. */
const keptTypes = sql<string[]>`${shownTypes} || 'account.deleted'::text`

const everyMs = 3_600_000
const batch = 2_000
/** Leaves the disk to others. */
const pauseMs = 100

interface RetentionNeeds {
  readonly database: Database
  readonly log: Logger
}

export const startRetention = ({ database, log }: RetentionNeeds): Running =>
  startRunning(async signal => {
    while (!signal.aborted) {
      await sweep(database.kysely, Date.now(), signal).catch(error =>
        log.error({ err: error }, 'old facts and stored answers were not deleted'),
      )
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {})
    }
  })

/** Deletes all that is too old at `now`, in ms of real time. */
export async function sweep(db: Db, now: number, signal?: AbortSignal): Promise<void> {
  const before = (days: number) => new Date(now - days * dayMs).toISOString()
  const facts = sql<{ count: number }>`
    select sweep_facts(${keptTypes}, ${before(factDays)}, ${batch}) as count`
  const answers = sql<{ count: number }>`select sweep_answers(${before(answerDays)}, ${batch}) as count`
  for (const statement of [facts, answers]) {
    while (!signal?.aborted && (await statement.execute(db)).rows[0]!.count === batch)
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {})
  }
}

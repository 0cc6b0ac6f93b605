/**
 * What is told, or made good, when its time has come and nobody settles anything for it: terms that end soon, what lapsed
 * and is deleted soon, outages that are over. Each statement takes one server at a time.
 */
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Clock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import { type Running, startRunning } from '../worker/running.ts'
import type { Signals } from '../worker/signals.ts'
import { createWaker } from '../worker/waker.ts'

const everyMs = 30_000

export interface CountdownNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly signals: Signals
  readonly log: Logger
}

export const startCountdowns = (needs: CountdownNeeds): Running =>
  startRunning(async signal => {
    const waker = createWaker()
    needs.signals.on('clock', () => waker.wake())
    signal.addEventListener('abort', () => waker.wake())
    while (!signal.aborted) {
      await countDown(needs)
      if (!signal.aborted) await waker.wait(everyMs)
    }
  })

/** Outages first: they move the ends of terms. */
export async function countDown({ database, clock, signals, log }: CountdownNeeds): Promise<void> {
  try {
    await sql`select handle_outages(${clock.iso()})`.execute(database.kysely)
    await sql`select note_terms(${clock.iso()})`.execute(database.kysely)
    await sql`select note_graces(${clock.iso()})`.execute(database.kysely)
    signals.send('notice')
  } catch (error) {
    log.error({ err: error }, 'what ends soon was not told')
  }
}

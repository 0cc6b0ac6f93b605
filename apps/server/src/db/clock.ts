/**
 * The business clock: real time plus a stored offset that only grows. Metering and lifecycle read it and pass it to SQL
 * as a parameter; sign-in, leases and `recorded_at` use real time. Tests and demos move it on, never back.
 */
import { sql } from 'kysely'
import type { Db } from './database.ts'

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** The same as the wire's string, `plusMs` later. */
  iso(plusMs?: number): string
  offsetMs(): number
  /** Moves the clock on for every process of this database. */
  advance(db: Db, ms: number): Promise<void>
  /** Reads the offset again after another process moved it. */
  reload(db: Db): Promise<void>
}

export async function openClock(db: Db): Promise<Clock> {
  let offset = 0
  const clock: Clock = {
    now: () => Date.now() + offset,
    iso: (plusMs = 0) => new Date(Date.now() + offset + plusMs).toISOString(),
    offsetMs: () => offset,
    async advance(db, ms) {
      await sql`update business_clock set offset_ms = offset_ms + ${ms}`.execute(db)
      await clock.reload(db)
    },
    async reload(db) {
      const row = await db.selectFrom('business_clock').select('offset_ms').executeTakeFirstOrThrow()
      offset = Number(row.offset_ms)
    },
  }
  await clock.reload(db)
  return clock
}

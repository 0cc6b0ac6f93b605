/** Checks the service twice a minute for as long as the worker runs, and writes down what it found. */
import { setTimeout as sleep } from 'node:timers/promises'
import { statusDays } from '@ingot/contracts/site'
import { sql } from 'kysely'
import type { Clock } from '../db/clock.ts'
import type { Db } from '../db/database.ts'
import { type Running, startRunning } from '../worker/running.ts'
import { check, type Checked, type CheckNeeds, depositsCheck } from './check.ts'

export const everyMs = 30_000
const sweepEvery = 120

export function startChecks(needs: CheckNeeds & { readonly clock: Clock }, pauseMs = everyMs): Running {
  const { database, clock, log } = needs
  /** Minutes that could not be written down because the database was away; they count once it is back. */
  const missed = new Map<number, Date>()

  return startRunning(async signal => {
    let since: { business: string; real: string } | null = null
    let planned = Date.now()
    let wereLate = false
    for (let n = 0; !signal.aborted; n++) {
      const at = new Date()
      const found = await check(needs, since, at.getTime() - planned)
      const deposits = found.checks.find(each => each.name === depositsCheck)!
      if (wereLate === deposits.ok) {
        wereLate = !deposits.ok
        if (wereLate) log.error({ detail: deposits.detail }, 'deposits are delayed')
        else log.warn('deposits are up to date again')
      }
      since = { business: clock.iso(), real: new Date().toISOString() }
      try {
        for (const [minute, when] of missed) {
          await measure(database.kysely, when, false)
          missed.delete(minute)
        }
        await record(database.kysely, found, at)
        if (n % sweepEvery === 0) await sql`select site_sweep(${statusDays})`.execute(database.kysely)
      } catch (error) {
        missed.set(Math.floor(at.getTime() / 60_000), at)
        log.warn({ err: error }, 'the state of the service could not be written down')
      }
      planned = Date.now() + pauseMs
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => {})
    }
  })
}

/** The latest finding, and its minute. */
export async function record(db: Db, { state, checks }: Checked, at: Date): Promise<void> {
  const found = { state, checks: JSON.stringify(checks), checked_at: at.toISOString() }
  await db
    .insertInto('site_status')
    .values(found)
    .onConflict(conflict => conflict.column('one').doUpdateSet(found))
    .execute()
  await measure(db, at, state === 'operational')
}

async function measure(db: Db, at: Date, ok: boolean): Promise<void> {
  await sql`select site_measure(${at.toISOString()}, ${ok})`.execute(db)
}

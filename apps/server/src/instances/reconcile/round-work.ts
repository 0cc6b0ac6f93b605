/**
 * Looks at all that runs. Every 30 s each driver is asked once for everything it holds, and one statement writes what
 * differs from the rows (`note_round`): at rest that is a time for each driver, however many machines it has. One server
 * at a time makes a driver's round. While the driver cannot say, nothing is written and the horizon of its runs stands.
 *
 * A round ends no run: one that it did not find is looked at by itself (`missed-work.ts`). A machine that is up while its
 * instance is stopped is stopped by the queue of commands, and one that no instance stands behind is destroyed when two
 * rounds in a row have found it.
 */
import { type Answer, failed, type Listed, type Ref } from '@ingot/compute/driver'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Clock } from '../../db/clock.ts'
import { inTransaction } from '../../db/database.ts'
import type { RowOf } from '../../worker/claimable.ts'
import type { Claim, Work } from '../../worker/loop.ts'
import { type Running, startRunning } from '../../worker/running.ts'
import type { Signals } from '../../worker/signals.ts'
import { type AskNeeds, driverNamed, servedBy } from './ask.ts'
import { compareMachines, type Differences, noteRound } from './compare-machines.ts'
import { retryMs } from './steps.ts'
import { sweepOrphans } from './sweep-orphans.ts'

const roundEveryMs = 30_000
/** Drivers that are asked at the same time. */
const concurrency = 4
/** Differences that are written in one transaction. */
const notedAtOnce = 500
/** Machines that one round has stopped or destroyed, so that they do not fill the queue of commands. */
const mostAtOnce = 100

export interface RoundNeeds extends AskNeeds {
  readonly clock: Clock
  readonly signals: Signals
  readonly log: Logger
}

type Round = RowOf<'driver_round'>

export function roundWork(needs: RoundNeeds): Work<'driver_round'> {
  /** By driver: what the last round found that no instance stands behind. */
  const orphans = new Map<string, ReadonlySet<Ref>>()
  return {
    table: 'driver_round',
    key: 'driver',
    clock: 'business',
    concurrency,
    only: () => servedBy(needs, null),
    async perform(row, claim) {
      const found = await lookAround(needs, row, claim)
      if (!found) return
      const foundTwice = found.filter(ref => orphans.get(row.driver)?.has(ref))
      orphans.set(row.driver, new Set(found))
      const driver = driverNamed(needs.regions, row.driver)
      if (driver) await sweepOrphans(needs, driver, foundTwice.slice(0, mostAtOnce))
    },
  }
}

/** Begins rounds at every driver of this server that has none yet. */
export const openRounds = ({ database, regions, signals, log }: RoundNeeds): Running =>
  startRunning(async signal => {
    const names = [...new Set(regions.map(region => region.compute.name))]
    for (let isOpen = false; !isOpen && !signal.aborted;) {
      try {
        await sql`insert into driver_round (driver) select unnest(${names}::text[]) on conflict do nothing`.execute(
          database.kysely,
        )
        isOpen = true
        signals.send('driver_round')
      } catch (error) {
        log.error({ err: error }, 'rounds were not begun; it is tried again')
        await sleep(retryMs(0), undefined, { signal, ref: false }).catch(() => {})
      }
    }
  })

/** One round. Returns the machines that no instance stands behind; null when nothing was written. */
async function lookAround(
  needs: RoundNeeds,
  { driver, attempts }: Round,
  claim: Claim<'driver_round'>,
): Promise<readonly Ref[] | null> {
  const { database, clock, signals, log } = needs
  // Whatever is found was there at this moment or later.
  const askedAt = clock.iso()
  const answer = await listed(needs, driver)
  if (answer.kind !== 'done') {
    if (answer.kind === 'failed') log.warn({ driver, answer }, 'a driver could not say what it holds')
    const pauseMs = answer.kind === 'failed' ? retryMs(attempts) : answer.retryMs
    await claim.apply(async () => ({ attempts: attempts + 1, due_at: clock.iso(pauseMs) }))
    return null
  }
  const { missed, found, strays, orphans, driverMs } = await compareMachines(
    database.kysely,
    driver,
    askedAt,
    answer.value,
  )
  if (missed.length || strays.length)
    log.warn(
      { driver, missed: missed.length, strays: strays.length },
      'a driver holds other machines than it should',
    )
  let left = { missed, found }
  // Very many at once would hold up whoever waits for their rows.
  while (Math.max(left.missed.length, left.found.length) > notedAtOnce) {
    const [part, rest] = cut(left)
    await inTransaction(database.kysely, tx => noteRound(tx, driver, askedAt, part, clock.iso()))
    left = rest
  }
  const isNoted = await claim.apply(async tx => {
    const last = { driverMs, strays: strays.slice(0, mostAtOnce) }
    await noteRound(tx, driver, askedAt, left, clock.iso(), last)
    // From when it was asked: the clock may have been moved on since.
    return { attempts: 0, due_at: new Date(Date.parse(askedAt) + roundEveryMs).toISOString() }
  })
  for (const topic of ['missed_run', 'gpu_instances', 'wallets'] as const) signals.send(topic)
  return isNoted ? orphans : null
}

const cut = ({ missed, found }: Pick<Differences, 'missed' | 'found'>) =>
  [
    { missed: missed.slice(0, notedAtOnce), found: found.slice(0, notedAtOnce) },
    { missed: missed.slice(notedAtOnce), found: found.slice(notedAtOnce) },
  ] as const

/** A driver that this machine does not have now may come back; one that throws is tried again like one that fails. */
async function listed({ regions }: AskNeeds, name: string): Promise<Answer<readonly Listed[]>> {
  const driver = driverNamed(regions, name)
  if (!driver) return failed('transient', `The ${name} driver is not available on this machine now.`)
  return driver.list().catch(error => failed('transient', String(error)))
}

/**
 * What the operator tells everybody at this moment, kept by every server: announcements whose time it is, and whether
 * the service is in maintenance. No call asks the database for it. It is read again when a row changes (a signal), when
 * an announcement begins or ends, and every second, so that a lost signal is made good within that time.
 */
import { IngotError } from '@ingot/contracts/errors'
import { type Operation, stopsInMaintenance } from '@ingot/contracts/operation'
import type { ToldAnnouncement, ToldMaintenance } from '@ingot/contracts/site/announcements'
import type { Logger } from 'pino'
import type { Clock } from '../../db/clock.ts'
import type { Db } from '../../db/database.ts'
import { startRunning } from '../../worker/running.ts'
import type { Signals } from '../../worker/signals.ts'
import { createWaker } from '../../worker/waker.ts'
import { type PostedRows, readPosted } from './queries.ts'

export interface Told {
  readonly maintenance: ToldMaintenance | null
  readonly items: readonly ToldAnnouncement[]
}

export interface Posted {
  /** For public pages or for the console, at this moment. */
  now(place: 'site' | 'console'): Told
  /** Throws for what is refused in maintenance. */
  assertOpen(op: Operation): void
  /** Calls `listener` when something else is told; returns what ends it. */
  onChange(listener: () => void): () => void
  close(): Promise<void>
}

const pollMs = 1_000
const retry = { leastSeconds: 30, usualSeconds: 300, mostSeconds: 3_600 }

interface PostedNeeds {
  readonly db: Db
  readonly clock: Clock
  readonly signals: Signals
  readonly log: Logger
}

export async function openPosted({ db, clock, signals, log }: PostedNeeds): Promise<Posted> {
  const listeners = new Set<() => void>()
  let kept: PostedRows = await readPosted(db, clock.iso())
  const at = (place: 'site' | 'console') => toldBy(kept, place, clock.now())
  const textNow = () => JSON.stringify([at('site'), at('console')])
  let told = textNow()
  const tellOthers = () => {
    const now = textNow()
    if (now === told) return
    told = now
    for (const listener of listeners) listener()
  }
  // Readings that overlap: the one that began last counts.
  let begun = 0
  const refresh = async () => {
    const turn = ++begun
    const rows = await readPosted(db, clock.iso())
    if (turn === begun) kept = rows
    tellOthers()
  }
  const { wake, wait } = createWaker()
  const unsubscribe = [signals.on('posted', wake), signals.on('clock', wake)]
  let wasRead = true
  const running = startRunning(async signal => {
    signal.addEventListener('abort', wake, { once: true })
    while (!signal.aborted) {
      await wait(Math.min(Math.max(nextChange(kept, clock.now()), 0), pollMs))
      if (signal.aborted) return
      try {
        await refresh()
        wasRead = true
      } catch (error) {
        if (wasRead) log.warn({ err: error }, 'what is announced could not be read again')
        wasRead = false
        await wait(pollMs)
      }
    }
  })

  return {
    now: at,
    assertOpen(op) {
      const { maintenance } = kept
      if (!maintenance || !stopsInMaintenance(op)) return
      throw new IngotError('maintenance', {
        message: maintenance.text,
        retryAfterSeconds: retryAfter(maintenance.planned_end, clock.now()),
      })
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      for (const end of unsubscribe) end()
      await running.stop()
    },
  }
}

const toldBy = (
  { maintenance, announcements }: PostedRows,
  place: 'site' | 'console',
  now: number,
): Told => ({
  maintenance,
  items: announcements
    .filter(
      each =>
        (each.place === place || each.place === 'both') &&
        Date.parse(each.from) <= now &&
        (each.until === null || now < Date.parse(each.until)),
    )
    .map(({ key, tone, text, link }) => ({ key, tone, text, link })),
})

/** In how many milliseconds the next announcement begins or ends. */
function nextChange({ announcements }: PostedRows, now: number): number {
  const times = announcements
    .flatMap(({ from, until }) => [from, until])
    .map(time => (time === null ? Infinity : Date.parse(time) - now))
    .filter(left => left > 0)
  return Math.min(Infinity, ...times)
}

/** The planned end, within reason: a client that waits for days, or asks each second, serves nobody. */
function retryAfter(plannedEnd: string | null, now: number): number {
  const left = plannedEnd === null ? 0 : Math.ceil((Date.parse(plannedEnd) - now) / 1000)
  if (left <= 0) return plannedEnd === null ? retry.usualSeconds : retry.leastSeconds
  return Math.min(Math.max(left, retry.leastSeconds), retry.mostSeconds)
}

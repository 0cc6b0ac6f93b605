/**
 * The catalogue in force, for lists and pages: read once and kept until its rows change (a signal, or at the latest the
 * next poll) or a price with a later date takes effect. Every process keeps its own; whoever waits for a change is told.
 * Nothing is charged by it: a deploy reads the rows in its own transaction (`gpu-for-sale.ts`).
 */
import type { Logger } from 'pino'
import type { Clock } from '../db/clock.ts'
import type { Db } from '../db/database.ts'
import { startRunning } from '../worker/running.ts'
import type { Signals } from '../worker/signals.ts'
import { createWaker } from '../worker/waker.ts'
import { type CatalogInForce, readCatalog } from './queries.ts'

export interface Catalog {
  /** What is in force at this moment. */
  now(): Promise<CatalogInForce>
  /** Calls `listener` when something else is in force; returns what ends it. */
  onChange(listener: () => void): () => void
  close(): Promise<void>
}

/** A price that is only planned changes nothing yet. */
const textOf = ({ until: _, ...inForce }: CatalogInForce): string => JSON.stringify(inForce)

const pollMs = 60_000
const retryMs = 1_000

interface CatalogNeeds {
  readonly db: Db
  readonly clock: Clock
  readonly signals: Signals
  readonly log: Logger
}

export async function openCatalog({ db, clock, signals, log }: CatalogNeeds): Promise<Catalog> {
  const listeners = new Set<() => void>()
  const read = () => readCatalog(db, clock.iso())
  let kept = await read()
  const { wake, wait } = createWaker()
  const unsubscribe = [signals.on('catalog', wake), signals.on('clock', wake)]

  const running = startRunning(async signal => {
    signal.addEventListener('abort', wake, { once: true })
    while (!signal.aborted) {
      const nextMs = kept.until === null ? pollMs : Date.parse(kept.until) - clock.now()
      await wait(Math.min(Math.max(nextMs, 0), pollMs))
      if (signal.aborted) return
      try {
        const found = await read()
        const isOther = textOf(found) !== textOf(kept)
        kept = found
        if (isOther) for (const listener of listeners) listener()
      } catch (error) {
        log.warn({ err: error }, 'the catalogue could not be read again')
        await wait(retryMs)
      }
    }
  })

  return {
    now: async () => (kept.until === null || clock.now() < Date.parse(kept.until) ? kept : read()),
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

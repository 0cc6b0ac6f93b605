/**
 * The loop for work that one statement does for many rows: pick what is due → do it in one transaction, again and again.
 *
 * Nothing is claimed beforehand. The transaction takes the rows' own locks and leaves out those that somebody holds, so
 * processes take turns, and a kill undoes it whole. Work that fails is halved until the rows that fail are alone; those
 * are set aside for a moment, and all others go on.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Running } from './running.ts'
import type { Signals, Topic } from './signals.ts'
import { createWaker } from './waker.ts'

export interface BatchWork {
  /** What wakes it: its table. */
  readonly topic: Topic
  /** Rows a transaction: it holds their locks for as long as it takes. */
  readonly size: number
  /** Keys that are due, the longest due first. */
  pick(limit: number, except: readonly string[]): Promise<readonly string[]>
  /** How long until another one is due, as far as one can see; null: none is. */
  msUntilDue(): Promise<number | null>
  /** Does what is due of `keys`, in one transaction. Returns those that it got hold of. */
  perform(keys: readonly string[]): Promise<readonly string[]>
}

const pollMs = 5_000
/** What falls due one by one is done together, each at most so late. Whoever cannot wait sends a signal. */
const gatherMs = 1_000
const aside = 1_000
/** All that were picked are held by others. */
const heldMs = 50

export function startBatches(
  work: BatchWork,
  { log, signals }: { readonly log: Logger; readonly signals: Signals },
): Running {
  const stopping = new AbortController()
  const { wake, wait } = createWaker()
  /** Keys whose work failed, and until when they wait. */
  const failed = new Map<string, number>()

  const attempt = async (keys: readonly string[]): Promise<number> => {
    try {
      return (await work.perform(keys)).length
    } catch (error) {
      if (keys.length > 1) {
        const half = keys.length >> 1
        return (await attempt(keys.slice(0, half))) + (await attempt(keys.slice(half)))
      }
      log.error({ err: error, batches: work.topic, key: keys[0] }, 'work failed; it is tried again')
      failed.set(keys[0]!, Date.now() + aside)
      return 0
    }
  }
  const run = async () => {
    while (!stopping.signal.aborted) {
      let waitMs = aside
      try {
        for (const [key, until] of failed) if (until <= Date.now()) failed.delete(key)
        const keys = await work.pick(work.size, [...failed.keys()])
        const done = keys.length ? await attempt(keys) : 0
        if (keys.length && done === 0) await sleep(heldMs)
        // There are more, or some that others held.
        if (done < keys.length || keys.length === work.size) continue
        waitMs = failed.size
          ? aside
          : Math.min(pollMs, Math.max(gatherMs, (await work.msUntilDue()) ?? pollMs))
      } catch (error) {
        if (!stopping.signal.aborted) log.error({ err: error, batches: work.topic }, 'picking failed')
      }
      await wait(waitMs)
    }
  }
  const unsubscribe = [signals.on(work.topic, wake), signals.on('clock', wake)]
  const running = run()
  return {
    async stop() {
      stopping.abort()
      wake()
      for (const end of unsubscribe) end()
      await running
    },
  }
}

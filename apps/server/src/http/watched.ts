/**
 * Things that are open and may have to end: asked after once a second, all of them together, so their number costs
 * nothing more. Nothing is asked while there are none.
 */
import type { Logger } from 'pino'

export interface Watched<T> {
  /** Calls `end` once when it may stand no more; returns what stops watching. */
  watch(item: T, end: (why: string) => void): () => void
}

const everyMs = 1_000

/** `ask` answers why one must end; null: it stands. */
export function createWatched<T>(
  ask: (items: readonly T[]) => Promise<(item: T) => string | null>,
  log: Logger,
): Watched<T> {
  const watched = new Set<{ readonly item: T; readonly end: (why: string) => void }>()
  let timer: NodeJS.Timeout | null = null
  let asking = false

  async function look(): Promise<void> {
    if (asking) return
    asking = true
    const asked = [...watched]
    try {
      const whyOver = await ask(asked.map(({ item }) => item))
      for (const each of asked) {
        const why = whyOver(each.item)
        if (why !== null && watched.delete(each)) each.end(why)
      }
    } catch (error) {
      log.warn({ err: error }, 'open connections could not be checked; they are checked again')
    } finally {
      asking = false
    }
    rest()
  }
  function rest(): void {
    if (watched.size || !timer) return
    clearInterval(timer)
    timer = null
  }

  return {
    watch(item, end) {
      const entry = { item, end }
      watched.add(entry)
      timer ??= setInterval(() => void look(), everyMs).unref()
      return () => {
        watched.delete(entry)
        rest()
      }
    },
  }
}

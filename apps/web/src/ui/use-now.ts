import { useSyncExternalStore } from 'react'

interface Ticker {
  readonly now: () => Date
  readonly subscribe: (changed: () => void) => () => void
}

const tickers = new Map<number, Ticker>()

/** The time, again every `stepMs`, for figures that tick on the client. A hundred rows share one timer. */
export function useNow(stepMs: number): Date {
  const ticker = tickers.get(stepMs) ?? createTicker(stepMs)
  tickers.set(stepMs, ticker)
  return useSyncExternalStore(ticker.subscribe, ticker.now)
}

function createTicker(stepMs: number): Ticker {
  let now = new Date()
  let timer: ReturnType<typeof setInterval> | undefined
  const listeners = new Set<() => void>()
  const tick = () => {
    now = new Date()
    for (const changed of listeners) changed()
  }
  return {
    now: () => now,
    subscribe: changed => {
      if (listeners.size === 0) {
        now = new Date()
        timer = setInterval(tick, stepMs)
      }
      listeners.add(changed)
      return () => {
        listeners.delete(changed)
        if (listeners.size === 0) clearInterval(timer)
      }
    },
  }
}

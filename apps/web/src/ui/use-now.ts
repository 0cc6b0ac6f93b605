import { useSyncExternalStore } from 'react'

interface Ticker {
  readonly now: () => Date
  readonly tick: () => void
  readonly subscribe: (changed: () => void) => () => void
}

const tickers = new Map<number, Ticker>()

let offsetMs = 0

/** How far the service's clock is ahead of this machine's: only a development service moves its own. */
export const clockOffset = (): number => offsetMs
export const setClockOffset = (ms: number): void => {
  if (ms === offsetMs) return
  offsetMs = ms
  for (const { tick } of tickers.values()) tick()
}
const serviceTime = () => new Date(Date.now() + offsetMs)

/** The service's time, again every `stepMs`, for figures that tick on the client. A hundred rows share one timer. */
export function useNow(stepMs: number): Date {
  const ticker = tickers.get(stepMs) ?? createTicker(stepMs)
  tickers.set(stepMs, ticker)
  return useSyncExternalStore(ticker.subscribe, ticker.now)
}

function createTicker(stepMs: number): Ticker {
  let now = serviceTime()
  let timer: ReturnType<typeof setInterval> | undefined
  const listeners = new Set<() => void>()
  const tick = () => {
    now = serviceTime()
    for (const changed of listeners) changed()
  }
  return {
    now: () => now,
    tick,
    subscribe: changed => {
      if (listeners.size === 0) {
        now = serviceTime()
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

/** What of a look counts as work. */
import type { IdleSignal } from '@ingot/contracts/instance/idle'
import type { InstanceRow } from '../queries.ts'

export const lookEveryMs = 30_000
/** A shell with a monitor such as `top` in it stays well below 1%; whatever feeds a GPU takes many times 2%. */
const busyShare = 0.02
/**
 * Of a card. One that only keeps a model in its memory shows 0%, a monitor that asks it shows 1 or 2% at times; a kernel
 * that runs shows more in each sample.
 */
export const busyLoad = 0.05

/** Null: its driver lacks it, so it is left out. `unknown`: it cannot be read now. */
export type Measured<T> = T | null | 'unknown'

export interface Sight {
  readonly at: number
  readonly cpuMs: Measured<number>
  /** Loads of its cards, 0 to 1. */
  readonly cards: Measured<readonly number[]>
  readonly inputAt: string | null
  readonly inputBy: 'terminal' | 'ssh' | null
  readonly requestAt: string | null
}

/** `start`: it is the first look of a run, or of a setting. */
export interface Sign {
  readonly signal: IdleSignal | 'start'
  readonly amount: number | null
  readonly card: number | null
}

/** As `gpu_instances.signals` keeps each of them; `at` in real time. */
export type Signals = {
  readonly [K in Sign['signal']]?: {
    readonly at: string
    readonly amount: number | null
    readonly card: number | null
  }
}

type Seen = Pick<InstanceRow, 'looked_at' | 'busy_at' | 'seen_cpu_ms' | 'seen_input_at' | 'seen_request_at'>

const sign = (signal: Sign['signal'], amount: number | null = null, card: number | null = null): Sign => ({
  signal,
  amount,
  card,
})

/**
 * The signals that count: any of them is enough. `unknown` where none counts and one cannot be read. In doubt it is at
 * work: at its first look, and when its processor time can be told only now. A pause longer than usual, because the
 * server was away, counts as one usual pause: a little work in it is work. A fall counts like growth: something ended.
 */
export function signsOf(seen: Seen, sight: Sight): readonly Sign[] | 'unknown' {
  if (seen.looked_at === null || seen.busy_at === null) return [sign('start')]
  const { at, cpuMs, cards } = sight
  const signs: Sign[] = []
  if (seen.seen_input_at !== sight.inputAt) signs.push(sign(sight.inputBy ?? 'terminal'))
  if (seen.seen_request_at !== sight.requestAt) signs.push(sign('requests'))
  if (typeof cpuMs === 'number') {
    const pauseMs = Math.min(at - Date.parse(seen.looked_at), 2 * lookEveryMs)
    const usedMs = seen.seen_cpu_ms === null ? null : Math.abs(cpuMs - seen.seen_cpu_ms)
    if (usedMs === null) signs.push(sign('processor'))
    else if (usedMs > busyShare * pauseMs) signs.push(sign('processor', usedMs / pauseMs))
  }
  if (Array.isArray(cards)) {
    const most = Math.max(...cards)
    if (most >= busyLoad) signs.push(sign('cards', most, cards.indexOf(most)))
  }
  return signs.length === 0 && (cpuMs === 'unknown' || cards === 'unknown') ? 'unknown' : signs
}

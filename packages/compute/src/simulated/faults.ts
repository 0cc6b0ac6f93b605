/**
 * Failures by plan, for tests and load: which call of which machine goes wrong, how, and how often. The plan is a
 * list that its owner may add to at any time; the first entry that fits a call is used, and an entry that has been
 * used `times` times is passed over.
 */
import type { Failure } from '../driver.ts'

/** `files`: any call on a machine's files. */
export type FaultyCall =
  | 'create'
  | 'observe'
  | 'start'
  | 'stop'
  | 'destroy'
  | 'attach'
  | 'exec'
  | 'connect'
  | 'logs'
  | 'stats'
  | 'files'
  | 'cpuTime'
  | 'list'
  | 'inventory'

interface Where {
  readonly call: FaultyCall
  /** Only of this instance's machine. Absent: of any. */
  readonly instanceId?: string
  /** Default 1; `Infinity` for ever. */
  readonly times?: number
}

export type Fault = Where &
  (
    | {
        readonly kind: 'fail'
        /** After `lost` the machine is gone. */
        readonly failure: Failure
        readonly message?: string
        /** The call did its work all the same, and only its answer is a failure. */
        readonly isApplied?: boolean
      }
    /** Nothing happens; the answer is "not yet". */
    | { readonly kind: 'not_yet'; readonly retryMs?: number }
    /** The start or stop that this call begins takes so much longer, on the machine's clock. */
    | { readonly kind: 'slow'; readonly addedMs: number }
    /** The work is done at once, but the answer comes late, in real time. */
    | { readonly kind: 'late'; readonly ms: number }
  )

/** Answers the fault for each call, and counts it as used. */
export function planFaults(plan: readonly Fault[]) {
  const used = new Map<Fault, number>()
  return (call: FaultyCall, instanceId: string | undefined): Fault | null => {
    for (const fault of plan) {
      const times = used.get(fault) ?? 0
      if (fault.call !== call || times >= (fault.times ?? 1)) continue
      if (fault.instanceId !== undefined && fault.instanceId !== instanceId) continue
      used.set(fault, times + 1)
      return fault
    }
    return null
  }
}

/**
 * What to ask the driver for, given what was asked for and where the instance stands; and what its answer means. Both
 * are pure, so every case is tested without a driver and without a database.
 */
import type { Answer, Failure, Observation } from '@ingot/compute/driver'
import type { InstanceRow } from '../queries.ts'

export type Step = 'start' | 'stop' | 'destroy' | 'observe' | 'none'

export function pickStep({ status, desired }: Pick<InstanceRow, 'status' | 'desired'>): Step {
  if (status === 'terminated') return 'none'
  if (desired === 'deleted') return 'destroy'
  if (status === 'starting') return 'start'
  if (status === 'stopping') return 'stop'
  return status === 'running' ? 'observe' : 'none'
}

export type Outcome =
  | { readonly kind: 'ran'; readonly publicIp: string | null }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'destroyed' }
  /** Still running, as far as the driver can see. */
  | { readonly kind: 'seen' }
  | { readonly kind: 'lost'; readonly message: string }
  | { readonly kind: 'start_failed'; readonly message: string }
  | { readonly kind: 'wait'; readonly ms: number; readonly failed: boolean }

const observeEveryMs = 30_000
const firstRetryMs = 500
const lastRetryMs = 30_000
/** A start is given up after this many failures that looked passing; a stop or destroy never is. */
export const maxStartAttempts = 5

const retryMs = (attempts: number) => Math.min(lastRetryMs, firstRetryMs * 2 ** attempts)
export { observeEveryMs }

export function outcomeOf(
  step: Exclude<Step, 'none'>,
  answer: Answer<Observation | void>,
  attempts: number,
): Outcome {
  if (answer.kind === 'not_yet') return { kind: 'wait', ms: answer.retryMs, failed: false }
  if (answer.kind === 'failed') return failureOf(step, answer.failure, answer.message, attempts)
  switch (step) {
    case 'start':
      return { kind: 'ran', publicIp: (answer.value as Observation).publicIp }
    case 'stop':
      return { kind: 'stopped' }
    case 'destroy':
      return { kind: 'destroyed' }
    case 'observe': {
      const { state } = answer.value as Observation
      return state === 'running' || state === 'starting'
        ? { kind: 'seen' }
        : { kind: 'lost', message: 'The machine stopped by itself.' }
    }
  }
}

function failureOf(
  step: Exclude<Step, 'none'>,
  failure: Failure,
  message: string,
  attempts: number,
): Outcome {
  if (failure === 'lost') {
    if (step === 'destroy') return { kind: 'destroyed' }
    if (step === 'start') return { kind: 'start_failed', message }
    return { kind: 'lost', message }
  }
  if (step === 'start' && (failure !== 'transient' || attempts + 1 >= maxStartAttempts))
    return { kind: 'start_failed', message }
  return { kind: 'wait', ms: retryMs(attempts), failed: true }
}

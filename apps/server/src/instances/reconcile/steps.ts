/**
 * What to ask the driver for, given what was asked for and where the instance stands; and what its answer means. Both
 * are pure, so every case is tested without a driver and without a database.
 */
import type { Answer, Failure, Observation, Progress, Run } from '@ingot/compute/driver'
import type { InstanceRow } from '../queries.ts'

export type Step = 'start' | 'stop' | 'destroy' | 'observe' | 'none'

/** Its run was asked to end, or its balance did: one more look tells whether it was there up to then. */
export const isLastLook = ({ status, run_id }: Pick<InstanceRow, 'status' | 'run_id'>): boolean =>
  status === 'stopping' && run_id !== null

export function pickStep(row: Pick<InstanceRow, 'status' | 'desired' | 'run_id'>): Step {
  const { status, desired } = row
  if (status === 'terminated') return 'none'
  if (isLastLook(row)) return 'observe'
  if (desired === 'deleted') return 'destroy'
  if (status === 'starting') return 'start'
  // A stopped instance has something to do only when its machine was found up.
  return status === 'stopping' || status === 'stopped' ? 'stop' : 'none'
}

/** Which run was seen, and how long it had lasted by the driver's clock. */
interface SeenRun {
  readonly id: string
  readonly ms: number
}

export type Outcome =
  | { readonly kind: 'ran'; readonly publicIp: string | null; readonly run: SeenRun | null }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'destroyed' }
  /** Still running, as far as the driver can see. */
  | { readonly kind: 'seen'; readonly run: SeenRun | null }
  | {
      readonly kind: 'ended'
      /** `ended`: from inside. */
      readonly reason: 'ended' | 'lost'
      readonly message: string
      /** When the run began and ended, by the driver's clock; null: nobody knows. */
      readonly ran: { readonly from: number; readonly to: number } | null
      /** Another run is there, of which nobody here knows: it is to be stopped. */
      readonly isReplaced: boolean
    }
  | { readonly kind: 'start_failed'; readonly failure: Failure; readonly message: string }
  | {
      readonly kind: 'wait'
      readonly ms: number
      readonly failed: boolean
      readonly message?: string
      readonly progress?: Progress
    }

const firstRetryMs = 500
const lastRetryMs = 30_000
/** A start or a last look is given up after this many failures that looked passing; a stop or destroy never is. */
export const maxStartAttempts = 5

/** The pause after a failure, when so many came before it. */
export const retryMs = (attempts: number): number => Math.min(lastRetryMs, firstRetryMs * 2 ** attempts)

/** Something of the machine runs. */
export const isUp = ({ state, run }: Pick<Observation, 'state' | 'run'>): boolean =>
  state === 'running' || state === 'starting' || (state === 'stopping' && !run?.end)

export function outcomeOf(
  step: Exclude<Step, 'none'>,
  answer: Answer<Observation | void>,
  attempts: number,
  /** The run that is metered; null: not known yet. */
  runId: string | null = null,
): Outcome {
  if (answer.kind === 'not_yet')
    return { kind: 'wait', ms: answer.retryMs, failed: false, progress: answer.progress }
  if (answer.kind === 'failed') return failureOf(step, answer.failure, answer.message, attempts)
  switch (step) {
    case 'start':
      return { kind: 'ran', ...ofRun(answer.value as Observation) }
    case 'stop':
      return { kind: 'stopped' }
    case 'destroy':
      return { kind: 'destroyed' }
    case 'observe':
      return lookedAt(answer.value as Observation, runId)
  }
}

const ofRun = ({ publicIp, at, run }: Observation) => ({
  publicIp,
  run: run && { id: run.id, ms: at - run.beganAt },
})

function lookedAt(look: Observation, runId: string | null): Outcome {
  const { run } = look
  const isOurs = runId === null || run === null || run.id === runId
  if (isUp(look) && isOurs) return { kind: 'seen', run: ofRun(look).run }
  return run && isOurs ? endOf(run) : lost('The machine went away.', isUp(look))
}

function endOf({ beganAt, end }: Run): Outcome {
  const ran = end?.at == null ? null : { from: beganAt, to: end.at }
  if (end?.cause !== 'inside') return { ...lost('The machine was ended by its host.'), ran }
  const message = 'The machine was ended from inside: its first process ended, or its memory was used up.'
  return { kind: 'ended', reason: 'ended', message, ran, isReplaced: false }
}

const lost = (message: string, isReplaced = false) =>
  ({ kind: 'ended', reason: 'lost', message, ran: null, isReplaced }) as const

function failureOf(
  step: Exclude<Step, 'none'>,
  failure: Failure,
  message: string,
  attempts: number,
): Outcome {
  if (failure === 'lost') {
    if (step === 'destroy') return { kind: 'destroyed' }
    if (step === 'start') return { kind: 'start_failed', failure, message }
    return lost(message)
  }
  if (step === 'start' && (failure !== 'transient' || attempts + 1 >= maxStartAttempts))
    return { kind: 'start_failed', failure, message }
  return { kind: 'wait', ms: retryMs(attempts), failed: true, message }
}

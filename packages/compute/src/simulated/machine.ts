/**
 * The life of a simulated machine as a value: what start and stop make of it, and what it has become by a later time.
 * Nothing ticks: a machine that is starting carries the time at which it runs, so a process that was down meanwhile
 * finds it running all the same.
 */
import type { MachineSpec, Observation } from '../driver.ts'
import type { VolumeMount } from '../volume-mount.ts'

export interface Machine {
  readonly spec: MachineSpec
  readonly state: 'stopped' | 'starting' | 'running' | 'stopping'
  /** When `starting` or `stopping` is over. */
  readonly dueAtMs: number
  /** When it last began to run. */
  readonly startedAtMs: number
  /** What is mounted while it is up. */
  readonly volume?: VolumeMount | null
  /** How often it was started. */
  readonly starts?: number
  /** Its log, the last lines of it; what lies ahead has not happened yet. */
  readonly notes?: readonly Note[]
}

export interface Note {
  /** Each has a higher one than those before it. */
  readonly n: number
  readonly at: number
  readonly text: string
}

/** Some twenty runs. */
const maxNotes = 100

export const newMachine = (spec: MachineSpec): Machine => ({
  spec,
  state: 'stopped',
  dueAtMs: 0,
  startedAtMs: 0,
})

/** The machine as it is at `nowMs`. */
export function machineAt(machine: Machine, nowMs: number): Machine {
  if (machine.dueAtMs > nowMs) return machine
  if (machine.state === 'starting') return { ...machine, state: 'running', startedAtMs: machine.dueAtMs }
  if (machine.state === 'stopping') return { ...machine, state: 'stopped' }
  return machine
}

/** Begins to start or to stop, which takes so long. */
export function begin(
  machine: Machine,
  state: 'starting' | 'stopping',
  nowMs: number,
  tookMs: number,
): Machine {
  const dueAtMs = nowMs + tookMs
  const events: [at: number, text: string][] =
    state === 'starting'
      ? [
          [dueAtMs, 'The machine started.'],
          [dueAtMs, 'Its main program is not run: this machine is simulated.'],
        ]
      : [
          [nowMs, 'The machine was asked to stop.'],
          [dueAtMs, 'The machine stopped.'],
        ]
  const happened = notesAt(machine, nowMs)
  const last = happened.at(-1)?.n ?? 0
  const added = events.map(([at, text], index) => ({ n: last + 1 + index, at, text }))
  const starts = (machine.starts ?? 0) + (state === 'starting' ? 1 : 0)
  return { ...machine, state, dueAtMs, starts, notes: [...happened, ...added].slice(-maxNotes) }
}

/** What has happened by then. */
export const notesAt = ({ notes = [] }: Machine, nowMs: number): readonly Note[] =>
  notes.filter(({ at }) => at <= nowMs)

/** The machine, as it is now, as a look sees it. There is no network to reach it through. */
export function seen(machine: Machine | undefined, nowMs: number): Observation {
  const { state = 'gone', dueAtMs = 0, startedAtMs: beganAt = 0, starts } = machine ?? {}
  const end = state === 'stopped' ? ({ at: dueAtMs, cause: 'asked' } as const) : null
  const hasRun = state === 'running' || state === 'stopping' || (state === 'stopped' && starts !== undefined)
  return { state, publicIp: null, at: nowMs, run: hasRun ? { id: String(starts ?? 0), beganAt, end } : null }
}

export function isMachine(value: unknown): value is Machine {
  const machine = value as Partial<Machine> | null
  return (
    typeof machine === 'object' &&
    machine !== null &&
    ['stopped', 'starting', 'running', 'stopping'].includes(machine.state ?? '') &&
    Number.isFinite(machine.dueAtMs) &&
    Number.isFinite(machine.startedAtMs) &&
    typeof machine.spec?.instanceId === 'string' &&
    typeof machine.spec.gpuType === 'string' &&
    Number.isInteger(machine.spec.gpuCount) &&
    (machine.notes === undefined || Array.isArray(machine.notes))
  )
}

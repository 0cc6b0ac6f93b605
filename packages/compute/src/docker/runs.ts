/**
 * What a container's state says of a machine's run.
 *
 * The engine tells beginnings and ends by the wall clock of its host, which may be set; the contract wants a clock that
 * nobody sets. So each is converted once, when it is first seen, by how long ago it was on the engine's own clock, and
 * kept. What may go wrong in between is bounded by what was seen: an end lies between the last look that saw the run and
 * the look that found it over. The clock is that of this host since it booted; when it has booted again, what was noted
 * before is converted again.
 *
 * An end was asked for where our own stop noted so before. It was the host's where the engine was started after the run
 * began and ended it on the way down or found it dead when it came up: no program in a container brings that about.
 * Everything else came from inside.
 */
import { isDeepStrictEqual } from 'node:util'
import type { ContainerInspectInfo } from 'dockerode'
import type { MachineState, Observation, RunEnd } from '../driver.ts'
import { bootMs } from '../sandbox/machine-run.ts'
import { bootId } from '../sandbox/processes.ts'
import { createTurns } from '../sandbox/turns.ts'
import type { Given } from './input.ts'
import type { MachineRecord, Records, RunRecord } from './records.ts'

export type ContainerState = ContainerInspectInfo['State']

/** The engine's wall clock, and since when the engine has run by it; null: it does not say. */
export interface EngineTime {
  readonly now: number
  readonly since: number | null
}

export interface RunsOptions {
  readonly records: Records
  /** Asked only when something new is seen. */
  readonly engineTime: (isFresh?: boolean) => Promise<EngineTime>
}

/** An engine that is stopped first ends its containers: it may take this long until it is up again. */
const restartMs = 10 * 60_000
/** From there to its first network. */
const comingUpMs = 10_000
/** Ends of containers that their engine ended, or found dead. */
const endedByEngine = new Set([0, 137, 143, 255])
const boot = bootId()

export const gone = (): Observation => ({ state: 'gone', publicIp: null, at: bootMs(), run: null })

const timeOf = (text: string): number | null => {
  const ms = Date.parse(text)
  // The engine's word for never lies in the year 1.
  return Number.isFinite(ms) && ms > 0 ? ms : null
}

export type Runs = ReturnType<typeof createRuns>

export function createRuns({ records, engineTime }: RunsOptions) {
  // Two looks at once would each convert a time, and not to the same millisecond.
  const inTurn = createTurns()

  const observe = (ref: string, containerId: string, state: ContainerState): Promise<Observation> =>
    inTurn(ref, () => observeNow(ref, containerId, state))

  async function observeNow(ref: string, containerId: string, state: ContainerState): Promise<Observation> {
    const record = records.read(ref)
    const run = await runOf(record, containerId, state)
    if (run !== record.run) records.write(ref, { ...record, run })
    return {
      state: stateOf(record, run, state),
      publicIp: null,
      at: bootMs(),
      run: run && { id: run.id, beganAt: run.beganAt, end: run.end },
    }
  }

  /** As it is known now; the same object where nothing is new. */
  async function runOf(
    record: MachineRecord,
    containerId: string,
    state: ContainerState,
  ): Promise<RunRecord | null> {
    const known = record.run
    const isNew =
      record.mode === 'run' &&
      timeOf(state.StartedAt) !== null &&
      state.StartedAt !== record.before &&
      state.StartedAt !== known?.startedAt
    const run = isNew ? await begun(containerId, state.StartedAt) : known && (await onThisClock(known))
    if (!run || run.end || run.startedAt !== state.StartedAt) return run
    if (state.Running) return run.seenAt > bootMs() - seenMs ? run : { ...run, seenAt: bootMs() }
    return { ...run, end: await endOf(run, state) }
  }

  async function begun(containerId: string, startedAt: string): Promise<RunRecord> {
    const beganAt = await converted(startedAt)
    const id = `${containerId.slice(0, 12)}.${startedAt}`
    return { id, startedAt, bootId: boot, beganAt, seenAt: beganAt, isAsked: false, end: null }
  }

  async function onThisClock(run: RunRecord): Promise<RunRecord> {
    if (run.bootId === boot) return run
    const beganAt = await converted(run.startedAt)
    const moved = (at: number | null) => (at === null ? null : at - run.beganAt + beganAt)
    return {
      ...run,
      bootId: boot,
      beganAt,
      seenAt: moved(run.seenAt)!,
      end: run.end && { ...run.end, at: moved(run.end.at) },
    }
  }

  /** How long ago it was on the engine's clock, on ours. */
  async function converted(time: string): Promise<number> {
    const { now } = await engineTime()
    return Math.round(bootMs() - Math.max(0, now - (timeOf(time) ?? now)))
  }

  async function endOf(run: RunRecord, state: ContainerState): Promise<RunEnd> {
    // It may have been restarted since it was asked last.
    const { since } = await engineTime(true)
    const finished = wasFoundDead(state, since) ? null : timeOf(state.FinishedAt)
    const at = finished === null ? null : Math.max(run.seenAt, await converted(state.FinishedAt))
    if (run.isAsked) return { at: at ?? bootMs(), cause: 'asked' }
    const isByHost = since !== null && endedWithEngine(run, state, since)
    // What ended from inside is known to the engine; where it says nothing it was not there to see it.
    return { at, cause: isByHost || at === null ? 'host' : 'inside' }
  }

  return {
    observe,
    /** To be noted before a container is started. */
    begin: (ref: string, mode: MachineRecord['mode'], state: ContainerState) =>
      inTurn(ref, async () => {
        const record = records.read(ref)
        records.write(ref, { ...record, mode, before: state.StartedAt })
      }),
    /** What it is to be started with. */
    give: (ref: string, given: Given) =>
      inTurn(ref, async () => {
        const record = records.read(ref)
        if (!isDeepStrictEqual(record.given, given)) records.write(ref, { ...record, given })
      }),
    givenTo: (ref: string): Given | null => records.read(ref).given ?? null,
    /** To be noted before a run is stopped. */
    ask: (ref: string) =>
      inTurn(ref, async () => {
        const record = records.read(ref)
        if (record.run && !record.run.end)
          records.write(ref, { ...record, run: { ...record.run, isAsked: true } })
      }),
    /** The container runs, but only so that its files can be seen. */
    isForFiles: (ref: string, state: ContainerState) => records.read(ref).mode === 'files' && state.Running,
  }
}

/** An engine that comes up notes its own beginning as the end of what it finds dead. */
function wasFoundDead({ ExitCode, FinishedAt }: ContainerState, since: number | null): boolean {
  const finished = timeOf(FinishedAt)
  return (
    since !== null && finished !== null && ExitCode === 255 && isShortlyBefore(finished, since, comingUpMs)
  )
}

function endedWithEngine(run: RunRecord, state: ContainerState, since: number): boolean {
  if ((timeOf(run.startedAt) ?? since) >= since || state.OOMKilled) return false
  const finished = timeOf(state.FinishedAt)
  return (
    finished === null || (endedByEngine.has(state.ExitCode) && isShortlyBefore(finished, since, restartMs))
  )
}

/** What ends after the engine came up was not ended by that. */
const isShortlyBefore = (time: number, since: number, ms: number) => time <= since && since - time < ms

/** How exactly it is kept when a run was last seen: the files are not written at every look. */
const seenMs = 5_000

function stateOf(record: MachineRecord, run: RunRecord | null, state: ContainerState): MachineState {
  const isRun = run !== null && run.startedAt === state.StartedAt && record.mode === 'run'
  if (!state.Running || !isRun) return 'stopped'
  return run.isAsked ? 'stopping' : 'running'
}

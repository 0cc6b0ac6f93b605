/**
 * What a container's state says of a machine's run.
 *
 * The engine tells beginnings and ends by the wall clock of its host, which may be set; the contract wants a clock that
 * nobody sets. So each is converted once, when it is first seen, by how long ago it was on the engine's own clock, and
 * kept. What may go wrong in between is bounded by what was seen: an end lies between the last look that saw the run and
 * the look that found it over. The clock is that of this host since it booted, or one that several servers share; what
 * was noted on another, as before a boot, is converted again.
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
import type { MachineRecord, MachineRecords, RunRecord } from './records.ts'

export type ContainerState = ContainerInspectInfo['State']

/** The engine's wall clock, and since when the engine has run by it; null: it does not say. */
export interface EngineTime {
  readonly now: number
  readonly since: number | null
}

/** In ms, and never set. */
export interface SteadyClock {
  /** Of another one, nothing is known of how its times and this one's lie. */
  readonly id: string
  now(): number
}

/** Since this host booted. */
export const hostClock: SteadyClock = { id: bootId(), now: bootMs }

export interface RunsOptions {
  readonly records: MachineRecords
  readonly clock: SteadyClock
  /** Asked only when something new is seen. */
  readonly engineTime: (isFresh?: boolean) => Promise<EngineTime>
}

/** An engine that is stopped first ends its containers: it may take this long until it is up again. */
const restartMs = 10 * 60_000
/** From there to its first network. */
const comingUpMs = 10_000
/** Ends of containers that their engine ended, or found dead. */
const endedByEngine = new Set([0, 137, 143, 255])

const timeOf = (text: string): number | null => {
  const ms = Date.parse(text)
  // The engine's word for never lies in the year 1.
  return Number.isFinite(ms) && ms > 0 ? ms : null
}

export type Runs = ReturnType<typeof createRuns>

export function createRuns({ records, clock, engineTime }: RunsOptions) {
  // Two looks at once would each convert a time, and not to the same millisecond.
  const inTurn = createTurns()

  const observe = (ref: string, containerId: string, state: ContainerState): Promise<Observation> =>
    inTurn(ref, () => observeNow(ref, containerId, state))

  async function observeNow(ref: string, containerId: string, state: ContainerState): Promise<Observation> {
    const record = await records.update(ref, async known => {
      const run = await runOf(known, containerId, state)
      return run === known.run ? known : { ...known, run }
    })
    const { run } = record
    return {
      state: stateOf(record, run, state),
      publicIp: null,
      at: clock.now(),
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
    if (state.Running) return run.seenAt > clock.now() - seenMs ? run : { ...run, seenAt: clock.now() }
    return { ...run, end: await endOf(run, state) }
  }

  async function begun(containerId: string, startedAt: string): Promise<RunRecord> {
    const beganAt = await converted(startedAt)
    const id = `${containerId.slice(0, 12)}.${startedAt}`
    return { id, startedAt, bootId: clock.id, beganAt, seenAt: beganAt, isAsked: false, end: null }
  }

  async function onThisClock(run: RunRecord): Promise<RunRecord> {
    if (run.bootId === clock.id) return run
    const beganAt = await converted(run.startedAt)
    const moved = (at: number | null) => (at === null ? null : at - run.beganAt + beganAt)
    return {
      ...run,
      bootId: clock.id,
      beganAt,
      seenAt: moved(run.seenAt)!,
      end: run.end && { ...run.end, at: moved(run.end.at) },
    }
  }

  /** How long ago it was on the engine's clock, on ours. */
  async function converted(time: string): Promise<number> {
    const { now } = await engineTime()
    return Math.round(clock.now() - Math.max(0, now - (timeOf(time) ?? now)))
  }

  async function endOf(run: RunRecord, state: ContainerState): Promise<RunEnd> {
    // It may have been restarted since it was asked last.
    const { since } = await engineTime(true)
    const finished = wasFoundDead(state, since) ? null : timeOf(state.FinishedAt)
    const at = finished === null ? null : Math.max(run.seenAt, await converted(state.FinishedAt))
    if (run.isAsked) return { at: at ?? clock.now(), cause: 'asked' }
    const isByHost = since !== null && endedWithEngine(run, state, since)
    // What ended from inside is known to the engine; where it says nothing it was not there to see it.
    return { at, cause: isByHost || at === null ? 'host' : 'inside' }
  }

  return {
    observe,
    /** To be noted before a container is started. */
    begin: (ref: string, mode: MachineRecord['mode'], state: ContainerState) =>
      inTurn(ref, () => records.update(ref, record => ({ ...record, mode, before: state.StartedAt }))),
    /** What it is to be started with. */
    give: (ref: string, given: Given) =>
      inTurn(ref, () =>
        records.update(ref, record =>
          isDeepStrictEqual(record.given, given) ? record : { ...record, given },
        ),
      ),
    givenTo: async (ref: string): Promise<Given | null> => (await records.read(ref)).given ?? null,
    /** To be noted before a run is stopped. */
    ask: (ref: string) =>
      inTurn(ref, () =>
        records.update(ref, record =>
          record.run && !record.run.end ? { ...record, run: { ...record.run, isAsked: true } } : record,
        ),
      ),
    /** The container runs, but only so that its files can be seen. */
    isForFiles: async (ref: string, state: ContainerState): Promise<boolean> =>
      state.Running && (await records.read(ref)).mode === 'files',
    gone: (): Observation => ({ state: 'gone', publicIp: null, at: clock.now(), run: null }),
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

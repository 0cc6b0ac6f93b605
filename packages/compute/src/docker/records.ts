/**
 * What the driver remembers of each machine beside what the engine knows: what a container was last started as, when its
 * run began and ended on a clock that nobody sets, and whether its end was asked for. A file each, replaced whole; a
 * file that is lost or can't be read costs no machine, only how its last run ended; what it is to be started with is noted
 * again by the next `create`.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEnd } from '../driver.ts'
import type { Given } from './input.ts'

export interface MachineRecord {
  /** `files`: the container runs, or ran last, as a place for the files of a stopped machine. */
  readonly mode: 'run' | 'files'
  /** The beginning, in the engine's words, of what ran before it was started in this mode. */
  readonly before: string | null
  readonly run: RunRecord | null
  /** What it is started with; null: a container of an earlier version knows it. */
  readonly given: Given | null
}

export interface RunRecord {
  readonly id: string
  /** In the engine's words. */
  readonly startedAt: string
  /** Of this host, on whose clock the times are. */
  readonly bootId: string
  readonly beganAt: number
  /** The last time that it was seen to run. */
  readonly seenAt: number
  readonly isAsked: boolean
  readonly end: RunEnd | null
}

export const newRecord: MachineRecord = { mode: 'run', before: null, run: null, given: null }

export type Records = ReturnType<typeof openRecords>

export function openRecords(dir: string) {
  const folder = join(dir, 'machines')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = (ref: string) => join(folder, `${ref}.json`)

  function write(ref: string, record: MachineRecord): void {
    const draft = `${path(ref)}.${process.pid}.new`
    writeFileSync(draft, JSON.stringify(record), { mode: 0o600 })
    renameSync(draft, path(ref))
  }

  function read(ref: string): MachineRecord {
    try {
      return JSON.parse(readFileSync(path(ref), 'utf8')) as MachineRecord
    } catch {
      return newRecord
    }
  }

  return {
    read,
    write,
    remove: (ref: string): void => rmSync(path(ref), { force: true }),
    /** Removes what is kept of machines that are not. */
    sweep(refs: ReadonlySet<string>): void {
      for (const name of readdirSync(folder))
        if (name.endsWith('.json') && !refs.has(name.slice(0, -'.json'.length)))
          rmSync(join(folder, name), { force: true })
    },
  }
}

/**
 * What the driver remembers of each machine beside what the engine knows: what a container was last started as, when its
 * run began and ended on a clock that nobody sets, and whether its end was asked for. A record that is lost costs no
 * machine, only how its last run ended; what it is to be started with is noted again by the next `create`.
 *
 * Where one server alone uses the engine it is a file each, replaced whole. Several servers keep records where all of
 * them see them, and no change of one undoes another's.
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
  /** Names the clock that the times are on. */
  readonly bootId: string
  readonly beganAt: number
  /** The last time that it was seen to run. */
  readonly seenAt: number
  readonly isAsked: boolean
  readonly end: RunEnd | null
}

export const newRecord: MachineRecord = { mode: 'run', before: null, run: null, given: null }

export interface MachineRecords {
  /** `newRecord` where there is none. */
  read(ref: string): Promise<MachineRecord>
  /**
   * Writes what `change` makes of the record, unless that is the record itself, and answers it. Where another server was
   * faster, `change` is asked again.
   */
  update(
    ref: string,
    change: (record: MachineRecord) => MachineRecord | Promise<MachineRecord>,
  ): Promise<MachineRecord>
  remove(ref: string): Promise<void>
  /** Removes what is kept of machines that are not. */
  sweep(refs: ReadonlySet<string>): Promise<void>
}

/** For one server: calls for one machine come one after the other. */
export function fileRecords(dir: string): MachineRecords {
  const folder = join(dir, 'machines')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = (ref: string) => join(folder, `${ref}.json`)

  function write(ref: string, record: MachineRecord): void {
    const draft = `${path(ref)}.${process.pid}.new`
    writeFileSync(draft, JSON.stringify(record), { mode: 0o600 })
    renameSync(draft, path(ref))
  }

  async function read(ref: string): Promise<MachineRecord> {
    try {
      return JSON.parse(readFileSync(path(ref), 'utf8')) as MachineRecord
    } catch {
      return newRecord
    }
  }

  return {
    read,
    async update(ref, change) {
      const record = await read(ref)
      const changed = await change(record)
      if (changed !== record) write(ref, changed)
      return changed
    },
    remove: async ref => rmSync(path(ref), { force: true }),
    async sweep(refs) {
      for (const name of readdirSync(folder))
        if (name.endsWith('.json') && !refs.has(name.slice(0, -'.json'.length)))
          rmSync(join(folder, name), { force: true })
    },
  }
}

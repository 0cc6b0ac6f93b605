/**
 * What is known of a machine's last run. Its launcher stays on the host as its watcher: it waits for the run's end and
 * writes down when that was and how. No program of the machine sees or reaches it, and a machine does not outlive it.
 *
 * The note is written over a file of the same length, so that a tenant who fills the disk cannot keep it from being
 * written. Times are in ms since boot.
 */
import { writeFileSync } from 'node:fs'
import { uptime } from 'node:os'
import { join } from 'node:path'
import type { Run, RunEnd } from '../driver.ts'
import type { MachineProcess } from './machine-store.ts'
import { msPerTick, readHead } from './processes.ts'

/** What the first process ends with when its keeper was killed, whoever did that, or failed; else with 0. */
export const keeperFailed = 86
const noteBytes = 64

const noteIn = (folder: string) => join(folder, 'ended')

/** Makes room for the note of a run's end. */
export function makeEndNote(folder: string): string {
  writeFileSync(noteIn(folder), ' '.repeat(noteBytes), { mode: 0o600 })
  return noteIn(folder)
}

/** What the watcher runs at the end; `code` is what the run ended with. */
export const writeEndNote = 'read -r up rest < /proc/uptime; echo "$run $up $code" >&9'

export const bootMs = (): number => Math.round(uptime() * 1_000)

/** The name by which the watcher knows the run. */
export const runName = ({ startedAt }: Pick<MachineProcess, 'startedAt'>): string => String(startedAt)

/** Null when it never came up. */
export function runOf(noted: MachineProcess, isUp: boolean, folder: string): Run | null {
  const { init, bootId } = noted
  if (!init) return null
  return {
    id: `${bootId}.${init.pid}.${init.startTime}`,
    beganAt: noted.beganAt ?? Number(init.startTime) * msPerTick,
    end: isUp ? null : endOf(noted, folder),
  }
}

/** How a run ended that is over. */
export function endOf(noted: MachineProcess, folder: string): RunEnd {
  if (noted.end) return noted.end
  const isAsked = noted.stopBy !== null
  const [, run, seconds, code] = /^(\d+) (\d+(?:\.\d+)?) (\d+)\s/.exec(readHead(noteIn(folder)) ?? '') ?? []
  // The watcher was ended with it: by the host, since nothing else can.
  if (run !== runName(noted)) return { at: null, cause: isAsked ? 'asked' : 'host' }
  // Bubblewrap ends in the same way whether its first process was killed or the keeper below it.
  const isInside = noted.design === 'bwrap' || [0, keeperFailed].includes(Number(code))
  return { at: Math.round(Number(seconds) * 1_000), cause: isAsked ? 'asked' : isInside ? 'inside' : 'host' }
}

/**
 * The terminals of all machines, by machine and terminal id. A terminal is kept while its machine runs, also by a
 * later process on the same folder: it is written down whenever a command has ended or a viewer has left. A machine
 * holds at most `maxPerMachine`; one more takes the place of the one that has gone unwatched the longest.
 */
import { createHash } from 'node:crypto'
import type { Ref, TerminalSize, TerminalStream } from '../driver.ts'
import type { MachineFacts } from './facts.ts'
import { openRecords } from './records.ts'
import type { SavedSession, Wait } from './session.ts'
import { createTerminal, type Terminal } from './terminal.ts'

interface TerminalRecord extends SavedSession {
  readonly ref: Ref
}

export const maxPerMachine = 16

export interface Terminals {
  /** Null when every terminal that the machine may have is being watched. */
  attach(ref: Ref, terminalId: string, facts: MachineFacts, size: TerminalSize): TerminalStream | null
  /** Ends every shell of a machine. */
  end(ref: Ref): void
  close(): void
}

interface TerminalsOptions {
  readonly dir: string | null
  readonly now: () => number
  readonly wait: Wait
  /** Whether the machine of a remembered terminal still runs. */
  readonly isRunning: (ref: Ref) => boolean
}

export function openTerminals({ dir, now, wait, isRunning }: TerminalsOptions): Terminals {
  const records = openRecords(dir, isTerminalRecord)
  /** Those of an earlier process, by machine. */
  const remembered = new Map<Ref, string[]>()
  for (const [id, { ref }] of records) {
    if (isRunning(ref)) remembered.set(ref, [...(remembered.get(ref) ?? []), id])
    else records.drop(id)
  }
  /** Those of this process, by machine. The one used last stands last. */
  const live = new Map<Ref, Map<string, Terminal>>()

  function forget(ref: Ref, id: string): void {
    live.get(ref)?.delete(id)
    if (live.get(ref)?.size === 0) live.delete(ref)
    unlessDiskFails(() => records.drop(id))
  }

  function save(ref: Ref, id: string, terminal: Terminal): void {
    unlessDiskFails(() => records.put(id, { ref, ...terminal.saved() }))
  }

  function open(ref: Ref, id: string, machine: MachineFacts, size: TerminalSize): Terminal {
    const terminal: Terminal = createTerminal({
      machine,
      now,
      wait,
      size,
      saved: records.get(id),
      changed() {
        if (live.get(ref)?.get(id) === terminal) save(ref, id, terminal)
      },
      exited: () => forget(ref, id),
    })
    return terminal
  }

  return {
    attach(ref, terminalId, facts, size) {
      const id = `${ref}.${createHash('sha256').update(terminalId).digest('hex').slice(0, 32)}`
      const terminals = live.get(ref) ?? new Map<string, Terminal>()
      const found = terminals.get(id)
      if (!found && terminals.size >= maxPerMachine) {
        const unwatched = [...terminals].find(([, terminal]) => terminal.viewers() === 0)
        if (!unwatched) return null
        unwatched[1].end()
        forget(ref, unwatched[0])
      }
      const terminal = found ?? open(ref, id, facts, size)
      terminals.delete(id)
      terminals.set(id, terminal)
      live.set(ref, terminals)
      return terminal.attach(size)
    },

    end(ref) {
      for (const [id, terminal] of live.get(ref) ?? []) {
        terminal.end()
        records.drop(id)
      }
      live.delete(ref)
      for (const id of remembered.get(ref) ?? []) records.drop(id)
      remembered.delete(ref)
    },

    close() {
      for (const [ref, terminals] of live) {
        for (const [id, terminal] of terminals) {
          save(ref, id, terminal)
          terminal.detach()
        }
      }
      live.clear()
    },
  }
}

/** A terminal that could not be written down works on, and is only not restored by a later process. */
function unlessDiskFails(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
  }
}

const isLines = (value: unknown): boolean =>
  Array.isArray(value) && value.every(line => typeof line === 'string')

function isTerminalRecord(value: unknown): value is TerminalRecord {
  const record = value as Partial<TerminalRecord> | null
  return (
    typeof record === 'object' &&
    record !== null &&
    typeof record.ref === 'string' &&
    typeof record.cwd === 'string' &&
    (record.previousCwd === null || typeof record.previousCwd === 'string') &&
    isLines(record.history) &&
    isLines(record.lines)
  )
}

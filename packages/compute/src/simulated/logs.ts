/** A simulated machine's log as a stream. It looks again every half second while it is followed. */
import { Readable } from 'node:stream'
import type { LogLine, LogOptions } from '../driver.ts'
import { type Machine, notesAt } from './machine.ts'
import type { Wait } from './session.ts'

const lookMs = 500

interface LogNeeds {
  /** The machine as it is now; undefined: it is gone, or nobody is to be told of it any more. */
  readonly look: () => { readonly machine: Machine | undefined; readonly nowMs: number }
  readonly wait: Wait
}

export function openLog(needs: LogNeeds, options: LogOptions): Readable & AsyncIterable<LogLine> {
  return Readable.from(linesOf(needs, options, needs.look().machine?.starts))
}

/** `run`: the one that is followed. */
async function* linesOf(
  { look, wait }: LogNeeds,
  { since = 0, follow = false }: LogOptions,
  run: number | undefined,
): AsyncGenerator<LogLine> {
  for (let told = 0; ;) {
    const { machine, nowMs } = look()
    for (const { n, at, text } of machine ? notesAt(machine, nowMs) : []) {
      if (n > told && at >= since) yield { at, stream: 'machine', text }
      told = Math.max(told, n)
    }
    if (!follow || !machine || machine.state === 'stopped' || machine.starts !== run) return
    await new Promise<void>(resolve => wait(lookMs, resolve))
  }
}

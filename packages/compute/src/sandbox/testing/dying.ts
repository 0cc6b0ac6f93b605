/** For a control plane in a process of its own, which kills itself right after its n-th change to the world outside. */
import childProcess from 'node:child_process'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '../../driver.ts'

type Change = (this: unknown, ...args: never[]) => unknown

/** `dieAt`: 0: it lives. What is on disk and programs that are begun count, and what else is watched. */
export function createDying(dieAt: number) {
  let changes = 0

  function watch(
    holder: object,
    name: string,
    counts: (args: readonly unknown[]) => boolean = () => true,
  ): void {
    const functions = holder as Record<string, Change>
    const original = functions[name]!
    functions[name] = function (...args) {
      const result = original.apply(this, args)
      if (counts(args) && ++changes === dieAt) process.kill(process.pid, 'SIGKILL')
      return result
    }
  }
  for (const name of [
    'mkdirSync',
    'writeFileSync',
    'renameSync',
    'symlinkSync',
    'chownSync',
    'rmSync',
    'rmdirSync',
  ])
    watch(fs, name)
  watch(childProcess, 'spawn')
  syncBuiltinESMExports()

  return {
    watch,
    changes: () => changes,
    /** Each to its end. */
    async play(calls: string, acts: Readonly<Record<string, () => Promise<Answer<unknown>>>>): Promise<void> {
      for (const call of calls.split(' '))
        for (;;) {
          const answer = await acts[call]!()
          if (answer.kind === 'failed') throw new Error(`${call}: ${JSON.stringify(answer)}`)
          if (answer.kind === 'done') break
          await sleep(answer.retryMs)
        }
    },
  }
}

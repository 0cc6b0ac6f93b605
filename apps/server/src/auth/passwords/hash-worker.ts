/** A thread that hashes passwords one after the other. It steps back for everything else that wants the processor. */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { hashSync, verifySync } from '@node-rs/argon2'

export interface HashThread {
  /** 0–19, as of setpriority(2). */
  readonly nice: number
}

export type HashTask =
  | { readonly kind: 'hash'; readonly password: string; readonly options: object }
  | { readonly kind: 'verify'; readonly password: string; readonly hash: string }

export type HashAnswer = { readonly value: string | boolean } | { readonly error: string }

try {
  // Linux gives each thread a priority of its own, under the number that /proc tells.
  setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), (workerData as HashThread).nice)
} catch {
  // Elsewhere it hashes at the priority of the process.
}

const answer = (task: HashTask): HashAnswer => {
  try {
    return {
      value:
        task.kind === 'hash' ? hashSync(task.password, task.options) : verifySync(task.hash, task.password),
    }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

parentPort!.on('message', (tasks: readonly HashTask[]) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- not a window
  parentPort!.postMessage(tasks.map(answer))
})

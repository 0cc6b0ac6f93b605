/**
 * Answers at whole steps of time. A call that finds an account does more work than one that finds none; whoever
 * measures sees only the step, which is longer than either.
 */
import { setTimeout as sleep } from 'node:timers/promises'

export async function evenly<T>(stepMs: number, work: () => Promise<T>): Promise<T> {
  const started = performance.now()
  try {
    return await work()
  } finally {
    const past = stepMs > 0 ? (performance.now() - started) % stepMs : stepMs
    await sleep(stepMs - past)
  }
}

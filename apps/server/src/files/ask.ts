/**
 * Calls on files, answered as calls of the API. Somebody who asks for much at once waits for themself: a few calls of each
 * user are under way at a time. What is "not yet" is asked again for as long as a call may take.
 */
import { type Answer, done, type FileEntry, type MachineFiles } from '@ingot/compute/driver'
import { IngotError } from '@ingot/contracts/errors'

/** As long as any call of the API may take that answers JSON. */
const longestMs = 30_000
/** Too many are using the same files at this moment. */
const busyRetryMs = [10, 30, 100, 300, 1_000, 2_000]
const mostAtOnce = 8

/** `field`: where a path was given that is at fault. */
export async function ask<T>(
  call: () => Promise<Answer<T>>,
  { field = 'path', deadline = Date.now() + longestMs }: { field?: string; deadline?: number } = {},
): Promise<T> {
  for (let tries = 0; ;) {
    const answer = await within(call(), deadline)
    if (answer === null || (answer.kind === 'not_yet' && Date.now() + answer.retryMs > deadline)) throw late()
    if (answer.kind === 'done') return answer.value
    if (answer.kind === 'not_yet') {
      await sleep(answer.retryMs)
      continue
    }
    const { failure, message, fault } = answer
    if (fault) throw new IngotError('validation_failed', { message, fields: { [field]: message } })
    if (failure === 'lost') throw new IngotError('invalid_state', { message: 'Its disk is no longer there.' })
    const pause = failure === 'transient' ? busyRetryMs[tries++] : undefined
    if (pause === undefined || Date.now() + pause > deadline) throw new IngotError('unavailable', { message })
    await sleep(pause)
  }
}

/** What is at a path; null: nothing is. */
export const look = (files: MachineFiles, path: string): Promise<FileEntry | null> =>
  ask<FileEntry | null>(async () => {
    const answer = await files.stat(path)
    return answer.kind === 'failed' && answer.fault === 'not_found' ? done(null) : answer
  })

const late = () =>
  new IngotError('unavailable', { message: 'The files do not answer in time. Try again in a moment.' })

const sleep = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

/** Null: its time is over. What it answers later is heard by nobody. */
async function within<T>(answer: Promise<T>, deadline: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const end = new Promise<null>(resolve => {
    timer = setTimeout(resolve, Math.max(0, deadline - Date.now()), null)
  })
  try {
    return await Promise.race([answer, end])
  } finally {
    clearTimeout(timer)
  }
}

/** Runs what one user asks, a few at a time. */
export type Turns = <T>(userId: string, work: () => Promise<T>) => Promise<T>

export function createTurns(most = mostAtOnce): Turns {
  const underWay = new Map<string, number>()
  return async (userId, work) => {
    const count = underWay.get(userId) ?? 0
    if (count >= most)
      throw new IngotError('rate_limited', { message: `At most ${most} calls on files at a time` })
    underWay.set(userId, count + 1)
    try {
      return await work()
    } finally {
      const left = underWay.get(userId)! - 1
      if (left) underWay.set(userId, left)
      else underWay.delete(userId)
    }
  }
}

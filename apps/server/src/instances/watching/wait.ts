/** Answers once an instance has the status that is waited for, or as it is when the time is over. */
import { IngotError } from '@ingot/contracts/errors'
import { type Instance, instances, type InstanceStatus } from '@ingot/contracts/instances'
import type { Db } from '../../db/database.ts'
import type { Caller } from '../../http/bind.ts'
import type { LiveCallers } from '../../http/live-callers.ts'
import type { Signals } from '../../worker/signals.ts'
import { createWaker } from '../../worker/waker.ts'
import { getInstance } from '../queries.ts'

/** A wake-up may be lost. */
const askEveryMs = 2_000
/** Each holds a connection. */
const mostAtOnce = 20

export interface WaitNeeds {
  readonly signals: Signals
  readonly liveCallers: LiveCallers
}

interface Wait {
  readonly id: string
  readonly status?: InstanceStatus
  readonly timeout_s: number
}

export function createWait({ signals, liveCallers }: WaitNeeds) {
  const waiting = new Map<string, number>()

  /** `onGone` is told how to end it when nobody reads the answer any more, and returns what takes that back. */
  return async (
    db: Db,
    caller: Caller,
    { id, status, timeout_s }: Wait,
    onGone: (end: () => void) => () => void,
  ): Promise<Instance> => {
    const { userId } = caller
    const count = waiting.get(userId) ?? 0
    if (count >= mostAtOnce)
      throw new IngotError('rate_limited', { message: `At most ${mostAtOnce} calls wait at a time` })
    waiting.set(userId, count + 1)
    const { wake, wait } = createWaker()
    let mayCall = true
    let isOver = false
    const unsubscribe = signals.on(`user:${userId}`, wake)
    const unwatch = liveCallers.watch(instances.wait, caller, () => {
      mayCall = false
      wake()
    })
    const offGone = onGone(() => {
      isOver = true
      wake()
    })
    const until = performance.now() + timeout_s * 1_000
    try {
      for (;;) {
        const instance = await getInstance(db, userId, id, status === 'terminated')
        if (!mayCall) throw new IngotError('not_authenticated')
        const left = until - performance.now()
        if (isOver || left <= 0 || isReached(instance.status, status)) return instance
        await wait(Math.min(askEveryMs, left))
      }
    } finally {
      unsubscribe()
      unwatch()
      offGone()
      const left = waiting.get(userId)! - 1
      if (left) waiting.set(userId, left)
      else waiting.delete(userId)
    }
  }
}

const isReached = (now: InstanceStatus, wanted: InstanceStatus | undefined): boolean =>
  wanted === undefined ? now !== 'starting' && now !== 'stopping' : now === wanted

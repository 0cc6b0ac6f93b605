/** What falls due a little apart is done together; who cannot wait sends a signal. */
import pino from 'pino'
import { expect, test } from 'vitest'
import { until } from '../product/test-server.ts'
import { type BatchWork, startBatches } from './batches.ts'
import type { Signals } from './signals.ts'

const log = pino({ level: 'silent' })

/** Work whose keys fall due at these times from now, and what was done of it, batch by batch. */
function workDue(afterMs: readonly number[]): { work: BatchWork; batches: string[][] } {
  const began = Date.now()
  const left = new Map(afterMs.map((ms, n) => [`key ${n}`, began + ms]))
  const batches: string[][] = []
  return {
    batches,
    work: {
      topic: 'wallets',
      size: 100,
      pick: async () => [...left].flatMap(([key, at]) => (at <= Date.now() ? [key] : [])),
      msUntilDue: async () => (left.size ? Math.min(...left.values()) - Date.now() : null),
      async perform(keys) {
        for (const key of keys) left.delete(key)
        batches.push([...keys])
        return keys
      },
    },
  }
}

test('what falls due within a second is one batch, and a signal is not waited for', async () => {
  const { work, batches } = workDue([100, 200, 300, 400, 30_000])
  const wakers: (() => void)[] = []
  const on: Signals['on'] = (_, wake) => {
    wakers.push(wake as () => void)
    return () => {}
  }
  const running = startBatches(work, { log, signals: { on } as Signals })
  await until(
    async () => batches.flat().length,
    done => done === 4,
  )
  expect(batches).toEqual([['key 0', 'key 1', 'key 2', 'key 3']])
  const more = workDue([50, 60_000])
  const others = startBatches(more.work, { log, signals: { on } as Signals })
  await new Promise(resolve => setTimeout(resolve, 60))
  for (const wake of wakers) wake()
  await until(
    async () => more.batches.length,
    done => done === 1,
    500,
  )
  await Promise.all([running.stop(), others.stop()])
})

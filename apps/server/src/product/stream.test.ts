import { describe, expect, test } from 'vitest'
import { appendEvent } from '../db/events.ts'
import { inTransaction } from '../db/database.ts'
import { type TestUser, useTestServer } from './test-server.ts'

const server = useTestServer({ worker: false })

/** Opens the user's stream; `next` is when its next fact arrived. */
async function open({ client }: TestUser) {
  const ending = new AbortController()
  const opened = Promise.withResolvers<void>()
  const stream = client.events({ signal: ending.signal, onOpen: opened.resolve })
  const next = () => stream.next().then(() => performance.now())
  return { next, opened: opened.promise, end: () => ending.abort() }
}

const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

describe('the event stream', () => {
  const wake = (userId: string) => server.services.signals.send(`user:${userId}`)
  const addFact = async (userId: string) => {
    const { database, clock } = server.services
    await inTransaction(database.kysely, tx =>
      appendEvent(tx, { userId, type: 'account.updated', at: clock.iso() }),
    )
    wake(userId)
  }

  test('brings a fact at once, also while it waits for facts that it was told of before', async () => {
    const user = await server.user()
    const stream = await open(user)
    let arrival = stream.next()
    await stream.opened
    const late: number[] = []
    for (let round = 0; round < 9; round++) {
      // This finds nothing, so the stream looks again after 10, 40 and 150 ms; 60 ms lie in the last pause.
      wake(user.id)
      await sleep(60)
      await addFact(user.id)
      const sent = performance.now()
      late.push((await arrival) - sent)
      arrival = stream.next()
    }
    stream.end()
    await arrival.catch(() => {})
    // One that waited for the end of that pause would be 140 ms late in each round, however fast the machine is.
    expect(Math.min(...late)).toBeLessThan(100)
  })

  test('shows a fact whose transaction ended after a wake-up, without another one', async () => {
    const user = await server.user()
    const stream = await open(user)
    const arrival = stream.next()
    await stream.opened
    const { database, clock } = server.services
    await inTransaction(database.kysely, async tx => {
      await appendEvent(tx, { userId: user.id, type: 'account.updated', at: clock.iso() })
      wake(user.id)
      await sleep(30)
    })
    const sent = performance.now()
    expect((await arrival) - sent).toBeLessThan(2_000)
    stream.end()
  })

  test.each(['x', '-', '1-', '99999999999999999999-1', '1-9999999999999999999', '1-1-1'])(
    'refuses to resume after %s',
    async id => {
      const { token } = await server.user()
      const response = await server.fetch('/v1/events', { token, headers: { 'last-event-id': id } })
      expect(response.status).toBe(422)
      await response.body?.cancel()
    },
  )
})

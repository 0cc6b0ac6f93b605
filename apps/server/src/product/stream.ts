/**
 * `GET /v1/events`: a user's facts as server-sent events, from the durable outbox. Resumes after `Last-Event-ID`;
 * without it the stream starts now. A dropped connection loses nothing: the reader comes back with the last id it saw.
 * One that comes back after facts were deleted for their age is told so, and the stream starts now.
 * It ends with the session, or the API key, that opened it. A change of the catalogue, and of what the operator announces,
 * is told to everybody, from no row: one that is missed is found by the next look at it.
 */
import { eventsCall, eventsPath, missedFacts, type StreamEvent } from '@ingot/contracts/events'
import { IngotError } from '@ingot/contracts/errors'
import { actingHeader } from '@ingot/contracts/operation'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Catalog } from '../catalog/catalog.ts'
import type { Database } from '../db/database.ts'
import { currentPosition, isBehindSweep, isPosition, type Position, readEvents } from '../db/events.ts'
import type { Posted } from '../site/posted/posted.ts'
import type { Signals } from '../worker/signals.ts'
import { createWaker } from '../worker/waker.ts'
import type { Authenticate } from '../http/bind.ts'
import type { LiveCallers } from '../http/live-callers.ts'
import { assertMayCall } from '../http/policy.ts'

interface StreamNeeds {
  readonly database: Database
  readonly catalog: Catalog
  readonly posted: Posted
  readonly signals: Signals
  readonly authenticate: Authenticate
  readonly liveCallers: LiveCallers
}

const pollMs = 5_000
const keepAliveMs = 15_000
/** A fact becomes readable when older transactions have ended, mostly at once: after a wake-up it is looked for again and again. */
const settleMs: readonly number[] = [10, 40, 150, 500, 1_000]
const maxStreamsPerUser = 20

export function registerStream(app: FastifyInstance, needs: StreamNeeds): void {
  const open = new Map<string, number>()
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())

  app.get(eventsPath, async (request, reply) => {
    const callerNow = async () => {
      const caller = await needs.authenticate(request)
      // It would be open for as long as it lasts, and count as nothing that was read.
      if (request.headers[actingHeader] !== undefined) throw new IngotError('not_while_acting')
      assertMayCall(eventsCall, caller)
      return caller
    }
    const caller = await callerNow()
    const { userId } = caller
    const count = open.get(userId) ?? 0
    if (count >= maxStreamsPerUser)
      throw new IngotError('rate_limited', {
        message: `At most ${maxStreamsPerUser} event streams at a time`,
      })
    const given = request.headers['last-event-id']
    if (given !== undefined && !(typeof given === 'string' && isPosition(given))) {
      throw new IngotError('validation_failed', {
        fields: { 'Last-Event-ID': 'is not an id of this stream' },
      })
    }
    open.set(userId, count + 1)
    const ended = new AbortController()
    const unwatch = needs.liveCallers.watch(eventsCall, caller, () => ended.abort())
    try {
      request.raw.once('close', () => ended.abort())
      const signal = AbortSignal.any([ended.signal, closing.signal])
      await stream(reply, needs, userId, given, signal, callerNow)
    } finally {
      unwatch()
      const left = open.get(userId)! - 1
      if (left) open.set(userId, left)
      else open.delete(userId)
    }
  })
}

async function stream(
  reply: FastifyReply,
  { database, catalog, posted, signals }: StreamNeeds,
  userId: string,
  from: Position | undefined,
  signal: AbortSignal,
  recheck: () => Promise<unknown>,
): Promise<void> {
  let position = from ?? (await currentPosition(database.kysely))
  const { wake, wait } = createWaker()
  const unsubscribe = signals.on(`user:${userId}`, wake)
  signal.addEventListener('abort', wake, { once: true })
  reply.hijack()
  const out = reply.raw
  out.writeHead(200, {
    ...reply.getHeaders(),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  } as Record<string, string>)
  // A position to resume from, even if nothing happens before the connection drops.
  out.write(`id: ${position}\n: open\n\n`)
  const send = (at: Position, event: StreamEvent) => {
    out.write(`id: ${at}\ndata: ${JSON.stringify(event)}\n\n`)
    position = at
  }
  const unwatch = [
    catalog.onChange(() => send(position, { type: 'catalog.changed', id: null })),
    posted.onChange(() => send(position, { type: 'site.changed', id: null })),
  ]
  let checkedAt = Date.now()
  try {
    let pauses = settleMs
    let unproven = from
    while (!signal.aborted) {
      let facts = await readEvents(database.kysely, userId, position)
      // Asked after the first reading: what is deleted later was read.
      if (unproven && (await isBehindSweep(database.kysely, unproven))) {
        send(await currentPosition(database.kysely), { type: missedFacts, id: null })
        facts = []
      }
      unproven = undefined
      for (const fact of facts) send(fact.position, { type: fact.type, id: fact.subject_id })
      if (Date.now() - checkedAt > keepAliveMs) {
        // An access token that has expired meanwhile opens no stream any more.
        await recheck()
        checkedAt = Date.now()
        out.write(': alive\n\n')
      }
      const [pause = pollMs, ...later] = facts.length ? [] : pauses
      pauses = (await wait(pause)) ? settleMs : later
    }
  } catch {
    // Signed out, or the database went away: the reader reconnects and is told.
  } finally {
    unsubscribe()
    for (const end of unwatch) end()
    out.end()
  }
}

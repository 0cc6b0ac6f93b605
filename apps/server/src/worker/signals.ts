/**
 * Wake-ups: "look again", never facts. Within the process at once; to other processes by one coalesced NOTIFY from a
 * connection of its own (a NOTIFY inside a business transaction would serialise commits). A lost wake-up costs a slow
 * poll, nothing else.
 */
import { EventEmitter } from 'node:events'
import type { Logger } from 'pino'
import pg from 'pg'
import type { Claimable } from './claimable.ts'

/**
 * A table: rows of it are due. `clock`: it was moved. `catalog`, `posted`: its rows changed. `places`: some may be free. `user:<id>`: that user has facts.
 * `keeper:<driver>`: an engine's keeper of terminals does not answer.
 */
export type Topic =
  | Claimable
  | 'wallets'
  | 'invoicing'
  | 'clock'
  | 'catalog'
  | 'posted'
  | 'places'
  | `user:${string}`
  | `keeper:${string}`

export interface Signals {
  send(topic: Topic): void
  /** Calls `listener` for every such wake-up, from here or elsewhere; returns what ends it. */
  on(topic: Topic, listener: () => void): () => void
  close(): Promise<void>
}

const channel = 'ingot'
const sendEveryMs = 20
const reconnectMs = 1_000
const maxPayload = 7_900

export function openSignals(url: string, log: Logger): Signals {
  const emitter = new EventEmitter().setMaxListeners(0)
  const origin = crypto.randomUUID()
  const outgoing = new Set<Topic>()
  let client: pg.Client | null = null
  let timer: NodeJS.Timeout | null = null
  let closed = false

  const connect = async () => {
    const next = new pg.Client({ connectionString: url, application_name: 'ingot signals' })
    next.on('error', () => {})
    next.on('notification', ({ payload }) => {
      const [from, topics] = JSON.parse(payload ?? '["",[]]') as [string, Topic[]]
      if (from !== origin) for (const topic of topics) emitter.emit(topic)
    })
    next.once('end', () => {
      client = null
      if (!closed) setTimeout(() => void connect(), reconnectMs).unref()
    })
    try {
      await next.connect()
      await next.query(`listen ${channel}`)
      client = next
    } catch (error) {
      log.warn({ err: error }, 'wake-ups from other processes are late until PostgreSQL answers')
      await next.end().catch(() => {})
    }
  }
  const connecting = connect()

  const flush = () => {
    timer = null
    const topics = [...outgoing]
    outgoing.clear()
    while (topics.length && client) {
      const batch = topics.splice(0, Math.floor(maxPayload / 50))
      void client
        .query('select pg_notify($1, $2)', [channel, JSON.stringify([origin, batch])])
        .catch(() => {})
    }
  }

  return {
    send(topic) {
      emitter.emit(topic)
      outgoing.add(topic)
      timer ??= setTimeout(flush, sendEveryMs)
    },
    on(topic, listener) {
      emitter.on(topic, listener)
      return () => emitter.off(topic, listener)
    },
    async close() {
      closed = true
      await connecting
      if (timer) clearTimeout(timer)
      flush()
      await client?.end()
    },
  }
}

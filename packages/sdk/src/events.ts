/** `GET /v1/events` as a fetch stream: `EventSource` cannot send a bearer. */
import { eventsPath, type StreamEvent } from '@ingot/contracts/events'
import { IngotError } from '@ingot/contracts/errors'
import { authorization, type ClientOptions, toError } from './transport.ts'

export interface StreamOptions {
  readonly signal: AbortSignal
  readonly lastEventId?: string
  readonly onOpen?: () => void
  readonly onDrop?: () => void
}

const firstRetryMs = 500
const lastRetryMs = 10_000
/** The server sends a comment every 15 s; three missed in a row mean the connection is dead. */
const silenceMs = 45_000

/**
 * Yields each event once, in order, across reconnects. Ends when `signal` aborts; throws only when the server refuses
 * the caller (signed out, not allowed), which no retry can mend.
 */
export async function* streamEvents(
  options: ClientOptions,
  stream: StreamOptions,
): AsyncGenerator<StreamEvent & { eventId: string }> {
  let lastEventId = stream.lastEventId
  let retryMs = firstRetryMs
  while (!stream.signal.aborted) {
    try {
      for await (const event of connect(options, stream, lastEventId)) {
        lastEventId = event.eventId
        retryMs = firstRetryMs
        yield event
      }
    } catch (error) {
      if (error instanceof IngotError && error.status < 500 && error.code !== 'rate_limited') throw error
    }
    if (stream.signal.aborted) return
    stream.onDrop?.()
    await pause(retryMs, stream.signal)
    retryMs = Math.min(retryMs * 2, lastRetryMs)
  }
}

async function* connect(options: ClientOptions, stream: StreamOptions, lastEventId: string | undefined) {
  const silence = new AbortController()
  const response = await (options.fetch ?? fetch)(options.baseUrl + eventsPath, {
    headers: {
      accept: 'text/event-stream',
      ...(await authorization(options)),
      ...(lastEventId ? { 'last-event-id': lastEventId } : {}),
    },
    signal: AbortSignal.any([stream.signal, silence.signal]),
  })
  if (!response.ok || !response.body) throw toError(response.status, await response.json().catch(() => null))
  stream.onOpen?.()
  let timer = setTimeout(() => silence.abort(), silenceMs)
  try {
    let buffer = ''
    for await (const chunk of readText(response.body)) {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), silenceMs)
      buffer += chunk
      const blocks = buffer.split('\n\n')
      buffer = blocks.pop()!
      for (const block of blocks) {
        const event = parse(block)
        if (event) yield event
      }
    }
  } finally {
    clearTimeout(timer)
  }
}

async function* readText(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield decoder.decode(value, { stream: true })
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function parse(block: string): (StreamEvent & { eventId: string }) | null {
  let eventId = ''
  let data = ''
  for (const line of block.split('\n')) {
    if (line.startsWith('id: ')) eventId = line.slice(4)
    if (line.startsWith('data: ')) data += line.slice(6)
  }
  return data ? { ...(JSON.parse(data) as StreamEvent), eventId } : null
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })

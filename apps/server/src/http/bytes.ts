/**
 * Answers that are not JSON: what `transport: 'bytes'` becomes. A stream goes out as fast as its reader takes it, for
 * as long as that takes, and its source ends when the reader goes away or may call no more. What fails before the first
 * byte is an error like any other; what fails after it cuts the connection, so that no half of a file passes for the
 * whole. The file is for saving: a browser that opens it anyway runs nothing in it.
 */
import { once } from 'node:events'
import { addAbortSignal, finished, pipeline, Readable, Transform } from 'node:stream'
import { IngotError } from '@ingot/contracts/errors'
import { type BytesOperation, needsCaller } from '@ingot/contracts/operation'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply } from 'fastify'
import type { LiveCallers } from './live-callers.ts'

export interface Bytes {
  /** Text is sent as UTF-8. */
  readonly body: Buffer | string | Readable | AsyncIterable<Buffer | string>
  /** One that the operation names. */
  readonly mediaType: string
  readonly fileName: string
  /** How many bytes a stream will have, where that is known: a reader can then tell how much is left. */
  readonly length?: number
}

const longestName = 200
/** A reader that takes nothing holds a connection and a page of what it asked for, for as long as it likes. */
const mostAtOnce = 6

/** How many files each user is being sent by this process. */
export type OpenFiles = Map<string, number>

/**
 * Aborts when nobody takes the answer any more: the connection is closed, or its caller may call no more. Throws when its
 * caller takes many files already.
 */
export function untilGone(
  reply: FastifyReply,
  op: BytesOperation,
  caller: ({ readonly userId: string } & Parameters<LiveCallers['watch']>[1]) | null,
  liveCallers: LiveCallers | undefined,
  open: OpenFiles,
): AbortSignal {
  const gone = new AbortController()
  const leave = caller && enter(open, caller.userId)
  const unwatch = caller && liveCallers?.watch(op, caller, () => gone.abort())
  finished(reply.raw, () => {
    leave?.()
    unwatch?.()
    gone.abort()
  })
  return gone.signal
}

/** Counts one more file of this user; returns what counts it off. */
function enter(open: OpenFiles, userId: string): () => void {
  const count = open.get(userId) ?? 0
  if (count >= mostAtOnce)
    throw new IngotError('rate_limited', { message: `At most ${mostAtOnce} files at a time` })
  open.set(userId, count + 1)
  return () => {
    const left = open.get(userId)! - 1
    if (left) open.set(userId, left)
    else open.delete(userId)
  }
}

export async function sendBytes(
  reply: FastifyReply,
  op: BytesOperation,
  { body, mediaType, fileName, length }: Bytes,
  gone: AbortSignal,
): Promise<FastifyReply> {
  if (!op.mediaTypes.includes(mediaType))
    throw new Error(`${op.id} answers ${mediaType}, which its contract does not name`)
  const isWhole = typeof body === 'string' || Buffer.isBuffer(body)
  const payload = isWhole ? body : streamOf(body, length, gone)
  if (payload instanceof Readable) {
    try {
      await begun(payload, gone)
    } catch (error) {
      if (!gone.aborted) throw error
      reply.hijack()
      reply.raw.destroy()
      return reply
    }
  }
  return reply
    .headers({
      'content-type': mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType,
      'content-disposition': contentDisposition(safeName(fileName)),
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      ...(needsCaller(op.who) ? { 'cache-control': 'no-store' } : {}),
      ...(!isWhole && length !== undefined ? { 'content-length': String(length) } : {}),
    })
    .send(payload)
}

function streamOf(
  body: Readable | AsyncIterable<Buffer | string>,
  length: number | undefined,
  gone: AbortSignal,
): Readable {
  const source = body instanceof Readable ? body : Readable.from(body, { objectMode: false })
  // Whoever waits for it hears of its end. Between two who wait nobody does, and what nobody hears ends the process.
  const unheard = () => {}
  source.on('error', unheard)
  addAbortSignal(gone, source)
  return length === undefined ? source : pipeline(source, exactly(length).on('error', unheard), unheard)
}

/** Fails where a source has fewer or more bytes than it said. */
function exactly(length: number): Transform {
  let count = 0
  const differs = () => new Error(`a stream of ${length} bytes had ${count}`)
  return new Transform({
    transform(chunk: Buffer, _, done) {
      count += chunk.length
      if (count > length) done(differs())
      else done(null, chunk)
    },
    flush: done => done(count === length ? null : differs()),
  })
}

/** Waits for the first byte, or for the end of a stream that has none. */
async function begun(stream: Readable, gone: AbortSignal): Promise<void> {
  if (stream.errored) throw stream.errored
  if (!stream.readableEnded) await once(stream, 'readable', { signal: gone })
}

/** No name leads out of the folder that a file is saved in. */
function safeName(name: string): string {
  const safe = name
    // oxlint-disable-next-line no-control-regex
    .replace(/[\u0000-\u001f\u007f/\\]/g, '_')
    .replace(/^\.+/, '_')
    .toWellFormed()
  return [...safe].slice(0, longestName).join('') || 'file'
}

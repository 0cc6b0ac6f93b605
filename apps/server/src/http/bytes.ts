/**
 * Answers that are not JSON: what `transport: 'bytes'` becomes. A stream goes out as fast as its reader takes it, for
 * as long as that takes, and its source ends when the reader goes away or may call no more. What fails before the first
 * byte is an error like any other; what fails after it cuts the connection, so that no half of a file passes for the
 * whole. The file is for saving: a browser that opens it anyway runs nothing in it.
 */
import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { addAbortSignal, finished, pipeline, Readable, Transform } from 'node:stream'
import { IngotError } from '@ingot/contracts/errors'
import type { BytesOperation } from '@ingot/contracts/operation'
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
  /** Changes with what the file holds; whoever goes on with a file names it. With it, a part may be asked for. */
  readonly tag?: string
  /** The body is the part that was asked for (`rangeOf`): where it begins, and how many bytes the whole has. */
  readonly part?: { readonly from: number; readonly total: number } | null
}

/** What was asked for begins behind the end. The answer says where that is. */
export class NoSuchPart extends IngotError {
  readonly total: number
  constructor(total: number) {
    super('range_not_satisfiable')
    this.total = total
  }
}

/**
 * The part that a request asks for of a file of so many bytes; null: all of it. Several parts at once, and a form that
 * nobody knows, mean all of it too, and so does a part of what the file held before.
 */
export function rangeOf(
  { range, 'if-range': ifRange }: IncomingHttpHeaders,
  { total, tag }: { readonly total: number; readonly tag: string },
): { readonly from: number; readonly length: number } | null {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '') ?? []
  if (first === undefined || last === undefined || (!first && !last)) return null
  if (ifRange !== undefined && ifRange !== tag) return null
  if (first && last && Number(last) < Number(first)) return null
  const from = first ? Number(first) : Math.max(0, total - Number(last))
  if (from >= total) throw new NoSuchPart(total)
  const to = first && last ? Math.min(Number(last), total - 1) : total - 1
  return { from, length: to - from + 1 }
}

const longestName = 200
/** A reader that takes nothing holds a connection and a page of what it asked for, for as long as it likes. */
const mostAtOnce = 6

/** How many files each user is being sent by this process. */
export type OpenFiles = Map<string, number>

/** Whom a file is sent for. */
export type Reader = { readonly userId: string } & Parameters<LiveCallers['watch']>[1]

export interface Reading {
  /** Aborts when nobody takes the answer any more: the connection is closed, or its reader may call no more. */
  readonly gone: AbortSignal
  /** The file is sent for them. Throws when many files are being sent for them already. */
  readonly readBy: (reader: Reader) => void
}

export function reading(
  reply: FastifyReply,
  op: Pick<BytesOperation, 'who'>,
  liveCallers: LiveCallers | undefined,
  open: OpenFiles,
): Reading {
  const gone = new AbortController()
  const leaving: (() => void)[] = []
  let isOver = false
  finished(reply.raw, () => {
    isOver = true
    for (const leave of leaving) leave()
    gone.abort()
  })
  return {
    gone: gone.signal,
    readBy(reader) {
      const left = [enter(open, reader.userId)]
      const unwatch = liveCallers?.watch(op, reader, () => gone.abort())
      if (unwatch) left.push(unwatch)
      if (isOver) for (const leave of left) leave()
      else leaving.push(...left)
    },
  }
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
  { body, mediaType, fileName, length, tag, part }: Bytes,
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
  if (part) void reply.code(206)
  return reply
    .headers({
      'content-type': mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType,
      'content-disposition': contentDisposition(safeName(fileName)),
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      ...(tag === undefined ? {} : { etag: tag, 'accept-ranges': 'bytes' }),
      ...(part ? { 'content-range': `bytes ${part.from}-${part.from + length! - 1}/${part.total}` } : {}),
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

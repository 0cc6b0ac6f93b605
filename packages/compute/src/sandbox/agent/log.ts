/**
 * What a machine's main program wrote, on the machine's own disk, where its customer finds it too: the present file
 * and the one before, each up to `fileBytes`, a line each with its time and stream. The customer may do anything to
 * them; the log then says less.
 *
 * Written at once and by one process, so a reader follows the files themselves and a slow one costs nothing.
 */
import { EventEmitter, once } from 'node:events'
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StringDecoder } from 'node:string_decoder'
import { setImmediate as eventLoop } from 'node:timers/promises'
import type { LogsRequest } from '../wire/frames.ts'
import type { Peer } from './peer.ts'

export const logFolder = '/var/log/ingot'
const names = ['main.log.1', 'main.log'] as const
const fileBytes = 4 * 1024 * 1024
const maxLineBytes = 16 * 1024
const isoLength = 24

export type LogStream = 'stdout' | 'stderr' | 'machine'

export interface Log {
  /** A part of a stream; lines are cut here. */
  write(stream: LogStream, data: Buffer): void
  line(stream: LogStream, text: string): void
  /** Writes what has no end of line yet. */
  flush(): void
  /** How often it went on to another file. */
  readonly turns: number
  /** Says `more` whenever something was written. */
  readonly news: EventEmitter
}

export function openLog(folder = logFolder): Log {
  const decoders = new Map<LogStream, { decoder: StringDecoder; rest: string }>()
  let file: number | null = null
  let bytes = 0
  let turns = 0
  const news = new EventEmitter().setMaxListeners(0)

  function reopen(): void {
    if (file !== null) closeSync(file)
    file = null
    const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants
    mkdirSync(folder, { recursive: true })
    const next = openSync(
      join(folder, names[1]),
      O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_WRONLY,
      0o644,
    )
    const stat = fstatSync(next)
    if (!stat.isFile()) return closeSync(next)
    file = next
    bytes = stat.size
  }

  function put(text: string): void {
    try {
      if (file === null) reopen()
      else if (bytes > fileBytes) {
        renameSync(join(folder, names[1]), join(folder, names[0]))
        turns++
        reopen()
      }
      if (file !== null) bytes += writeSync(file, text)
    } catch {
      // The disk is full, or the customer has put something else there.
    }
    news.emit('more')
  }

  const lineOf = (stream: LogStream, text: string) => `${new Date().toISOString()} ${stream} ${text}\n`

  function write(stream: LogStream, text: string, isEnd: boolean): void {
    const lines = text.split('\n')
    const rest = lines.pop()!
    const parts = [...lines, ...(isEnd && rest ? [rest] : [])].flatMap(cut)
    if (parts.length > 0) put(parts.map(part => lineOf(stream, part)).join(''))
    state(stream).rest = isEnd ? '' : rest
    if (rest.length >= maxLineBytes && !isEnd) write(stream, rest, true)
  }

  function state(stream: LogStream) {
    const known = decoders.get(stream) ?? { decoder: new StringDecoder('utf8'), rest: '' }
    decoders.set(stream, known)
    return known
  }

  return {
    write(stream, data) {
      const { decoder, rest } = state(stream)
      write(stream, rest + decoder.write(data), false)
    },
    line: (stream, text) => put(lineOf(stream, text)),
    flush() {
      for (const [stream, { decoder, rest }] of decoders) write(stream, rest + decoder.end(), true)
    },
    get turns() {
      return turns
    },
    news,
  }
}

/** A line in parts of at most `maxLineBytes`, also one of four bytes a character. */
function cut(line: string): string[] {
  const parts: string[] = []
  for (let at = 0; at < line.length || parts.length === 0;) {
    const end = at + maxLineBytes / 4
    const to = isLowSurrogate(line.charCodeAt(end)) ? end - 1 : end
    parts.push(line.slice(at, to))
    at = to
  }
  return parts
}

const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff

/**
 * The lines as they stand in the files, the oldest first, some at a time. With `following` it goes on with what that
 * log still writes, until it is aborted.
 */
export async function* readLog(
  { since, log, following }: { since: number; log: Log | null; following: AbortSignal | null },
  folder = logFolder,
): AsyncGenerator<Buffer> {
  const turns = () => log?.turns ?? 0
  for (let turn = turns() - 1; turn <= turns(); turn++) {
    // Whoever is two files behind goes on with the older of those that are left.
    turn = Math.max(turn, turns() - 1)
    const file = openRegular(join(folder, names[turn === turns() ? 1 : 0]))
    try {
      for (let position = 0, rest = ''; ;) {
        const isOver = turn < turns() || !following
        const chunk = file === null ? Buffer.alloc(0) : readAt(file, position)
        position += chunk.length
        const text = rest + chunk.toString('latin1')
        const end = text.lastIndexOf('\n') + 1
        rest = text.slice(end, end + 2 * maxLineBytes)
        const lines = linesSince(text.slice(0, end), since)
        if (lines) yield Buffer.from(lines, 'latin1')
        if (chunk.length > 0) await eventLoop()
        else if (isOver) break
        else await once(log!.news, 'more', { signal: following! })
      }
    } finally {
      if (file !== null) closeSync(file)
    }
  }
}

/** Without a log that is still written there is nothing to follow. */
export async function sendLog(peer: Peer, { since, follow }: LogsRequest, log: Log | null): Promise<void> {
  peer.accept()
  // Nothing of it is written to a peer that has gone.
  const following = follow && log ? peer.closed : null
  const lines = Readable.from(readLog({ since, log, following }))
  await pipeline(lines, peer.output, { signal: peer.closed }).catch(() => {})
  await peer.finish({})
}

/** They stand in the order of time. */
function linesSince(text: string, since: number): string {
  let at = 0
  for (; at < text.length; at = text.indexOf('\n', at) + 1)
    if (Date.parse(text.slice(at, at + isoLength)) >= since) break
  return text.slice(at)
}

function readAt(file: number, position: number): Buffer {
  const chunk = Buffer.allocUnsafe(64 * 1024)
  return chunk.subarray(0, readSync(file, chunk, 0, chunk.length, position))
}

/** Null where there is none, or something else. */
function openRegular(path: string): number | null {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
  try {
    const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    if (fstatSync(file).isFile()) return file
    closeSync(file)
  } catch {
    // Nothing has been written yet.
  }
  return null
}

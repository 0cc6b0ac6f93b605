/**
 * What a machine says of its files, distrusted: every field is checked and every size is bounded. A keeper that a
 * customer has taken over can lie about its own machine and be let go of; it can't make this process hold more than a
 * page, wait for ever, or hand on what it did not promise.
 */
import { Readable } from 'node:stream'
import { refusedFile } from '../checks.ts'
import { type Answer, done, failed, type FileEntry, notYet } from '../driver.ts'
import type { Channel } from './wire/channel.ts'
import type { FilesCall, FilesFault } from './wire/files.ts'

/** A good reply, as far as it can be believed. */
export interface Said {
  readonly entry: FileEntry | null
  readonly hasMore: boolean
  readonly bytes: number | null
}

const maxEntryBytes = 4_096
/** A thousand of the longest names, each character written as six. */
const maxPageBytes = 2 * 2 ** 20
const maxTime = 8.64e15
const askAgainMs = 100
const newline = 0x0a

export const answers: Readonly<Record<FilesFault, Answer<never>>> = {
  not_found: refusedFile('not_found'),
  exists: refusedFile('exists'),
  not_a_file: refusedFile('not_a_file'),
  not_a_folder: refusedFile('not_a_folder'),
  not_empty: refusedFile('not_empty'),
  no_access: refusedFile('no_access'),
  no_space: refusedFile('no_space'),
  bad_path: refusedFile('bad_path'),
  other_disk: refusedFile('bad_path', 'This can’t be moved there. Copy it, then remove it here.'),
  unfinished: notYet(askAgainMs),
  busy: failed('transient', 'Too many files of this instance are in use at once. Try again in a moment.'),
  unknown: failed('transient', 'The instance can’t do this with its files right now.'),
}
export const cutShort = failed('transient', 'The data did not arrive whole.')
const noAnswer = failed('transient', 'The instance’s files don’t answer.')

const kinds = ['file', 'folder', 'link', 'other'] as const

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
const isWhole = (value: unknown, least: number, most: number): value is number =>
  Number.isInteger(value) && Number(value) >= least && Number(value) <= most
const isBytes = (value: unknown): value is number => isWhole(value, 0, Number.MAX_SAFE_INTEGER)
const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed() && (value === '/' || !/[/\0]|^$/.test(value))

/** Of what was said only what was checked. */
function entryOf(said: unknown): FileEntry | null {
  if (!isObject(said)) return null
  const { name, bytes, modifiedAt, mode } = said
  const kind = kinds.find(each => each === said['kind'])
  return kind &&
    isName(name) &&
    isBytes(bytes) &&
    isWhole(modifiedAt, -maxTime, maxTime) &&
    isWhole(mode, 0, 0o7777)
    ? { name, kind, bytes, modifiedAt, mode }
    : null
}

function parseEntry(line: string): FileEntry | null {
  try {
    return entryOf(JSON.parse(line))
  } catch {
    return null
  }
}

/** How a call ended. Without patience the caller sees to it that it ends. */
export async function replyOf(channel: Channel, patienceMs?: number): Promise<Answer<Said>> {
  const silent = patienceMs === undefined ? undefined : setTimeout(() => channel.close(), patienceMs)
  const said = await channel.result
  clearTimeout(silent)
  if (!isObject(said)) return noAnswer
  if (said['ok'] !== true) {
    const fault = String(said['fault'])
    return Object.hasOwn(answers, fault) ? answers[fault as FilesFault] : answers.unknown
  }
  const { entry, hasMore, bytes } = said
  return done({ entry: entryOf(entry), hasMore: hasMore === true, bytes: isBytes(bytes) ? bytes : null })
}

/** The page that was asked for: no more than that, in order, and behind `after`. */
export async function pageOf(
  channel: Channel,
  { after, limit }: Extract<FilesCall, { op: 'list' }>,
  patienceMs: number,
): Promise<Answer<{ readonly entries: readonly FileEntry[]; readonly hasMore: boolean }>> {
  const silent = setTimeout(() => channel.close(), patienceMs)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of channel.output as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxPageBytes) break
    chunks.push(chunk)
  }
  clearTimeout(silent)
  if (bytes > maxPageBytes) return answers.unknown
  const reply = await replyOf(channel, patienceMs)
  if (reply.kind !== 'done') return reply
  const lines = Buffer.concat(chunks).toString().split('\n').slice(0, -1)
  const entries = lines.slice(0, limit).flatMap(line => parseEntry(line) ?? [])
  const keys = [...(after === null ? [] : [after]), ...entries.map(({ name }) => name)].map(keyOf)
  const isSound =
    entries.length === lines.length &&
    keys.every((key, at) => at === 0 || key >= keys[at - 1]!) &&
    (after === null || keys[1] === undefined || keys[1] > keys[0]!)
  const hasMore = reply.value.hasMore && entries.length > 0
  return isSound ? done({ entries, hasMore }) : answers.unknown
}

/** A character for each byte of its UTF-8, and so in the order of bytes. */
const keyOf = (name: string): string => Buffer.from(name).toString('latin1')

/** What comes before a file's bytes. */
export async function headOf(channel: Channel, patienceMs: number): Promise<Answer<FileEntry>> {
  const silent = setTimeout(() => channel.close(), patienceMs)
  const line = await firstLine(channel.output)
  clearTimeout(silent)
  const entry = line && parseEntry(line.toString())
  if (entry) return done(entry)
  const reply = line ? answers.unknown : await replyOf(channel, patienceMs)
  // Nothing came, so it has failed whatever is said.
  return reply.kind === 'done' ? answers.unknown : reply
}

/** Null: it ended before. What comes behind the line stays in the stream. */
function firstLine(output: Readable): Promise<Buffer | null> {
  return new Promise(resolve => {
    let head: Buffer = Buffer.alloc(0)
    const settle = (line: Buffer | null) => {
      output.off('data', look).off('end', end).pause()
      resolve(line)
    }
    const end = () => settle(null)
    const look = (chunk: Buffer) => {
      head = head.length > 0 ? Buffer.concat([head, chunk]) : chunk
      const at = head.indexOf(newline)
      if (at < 0 && head.length <= maxEntryBytes) return
      settle(head.subarray(0, Math.max(at, 0)))
      if (at >= 0 && at + 1 < head.length) output.unshift(head.subarray(at + 1))
    }
    output.on('data', look).once('end', end)
  })
}

/** So many bytes and then the end, or an error. Whoever does not read them for too long gets one too. */
export function dataOf(channel: Channel, bytes: number, patienceMs: number): Readable {
  const { output } = channel
  let left = bytes
  const data = new Readable({
    read() {
      silent.refresh()
      output.resume()
    },
    destroy(error, callback) {
      clearTimeout(silent)
      channel.close()
      callback(error)
    },
  })
  const fail = (message: string) => void data.destroy(new Error(message))
  const silent = setTimeout(fail, patienceMs, 'The file was not read on.')
  output.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) fail('More came than the file holds.')
    else if (!data.push(chunk)) output.pause()
  })
  const end = async () => {
    const reply = await replyOf(channel, patienceMs)
    if (reply.kind === 'done' && left === 0) data.push(null)
    else fail('The file did not arrive whole.')
  }
  // Of nothing the end may have come with the entry.
  if (output.readableEnded) void end()
  else output.once('end', () => void end()).pause()
  return data
}

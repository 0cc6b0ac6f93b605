/**
 * What is asked about a machine's files, answered where they are: by a process inside, as the machine's own uid and with
 * no more rights than its programs have. A path means what it means to them and a link leads where it leads them, so
 * whatever a tenant swaps meanwhile reaches nothing that the tenant's own programs do not reach.
 *
 * Each call costs little memory whatever the folder or the file is, nothing waits for ever, and the event loop goes
 * round meanwhile. Knows nothing of the wire: a listing and a file's bytes go to `output`, what is written comes from
 * `input`, and how it ended is one small reply.
 */
import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import {
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readlink,
  rename,
  rmdir,
  stat,
  unlink,
} from 'node:fs/promises'
import { basename, dirname } from 'node:path/posix'
import type { Readable, Writable } from 'node:stream'
import type { FileEntry } from '../../driver.ts'
import { type FilesCall, type FilesReply, maxFileCalls } from '../wire/files.ts'
import { firstNames } from './file-names.ts'
import { codeOf, faultOf, findFolder, findPlace, openFile, placeOf, Refused } from './open-files.ts'
import { removeFiles } from './remove-files.ts'

export interface FilesEnds {
  readonly input: Readable
  readonly output: Writable
}

/** The other side takes or gives something within this time, or is let go of. */
const stallMs = 60_000
const removeMs = 2_000
const chunkBytes = 128 * 1024
/** What is written is put on the disk in steps, so that the last one is short. */
const syncBytes = 64 * 2 ** 20
const entriesAtOnce = 64
const maxLinks = 40
/** The last moment of JavaScript's calendar: a file's time may be any. */
const maxTime = 8.64e15

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants
let calls = 0

/** Never rejects. */
export async function answerFiles(
  call: FilesCall,
  ends: FilesEnds,
  patienceMs = stallMs,
): Promise<FilesReply> {
  if (calls >= maxFileCalls) return { ok: false, fault: 'busy' }
  calls++
  try {
    return await answer(call, ends, patienceMs)
  } catch (error) {
    return { ok: false, fault: faultOf(error) }
  } finally {
    calls--
  }
}

async function answer(
  call: FilesCall,
  { input, output }: FilesEnds,
  patienceMs: number,
): Promise<FilesReply> {
  const send: Send = data => taken(output, data, patienceMs)
  switch (call.op) {
    case 'list':
      return list(call, send)
    case 'stat': {
      await using place = await findPlace(call.path)
      return { ok: true, entry: entryOf(basename(call.path) || '/', await lstat(place.path)) }
    }
    case 'read':
      return read(call, send)
    case 'write':
      return { ok: true, bytes: await write(call, arriving(input, patienceMs)) }
    case 'makeFolder': {
      await using place = await findPlace(call.path)
      await makeFolder(place.path)
      return { ok: true }
    }
    case 'rename': {
      await using place = await findPlace(call.path)
      await using to = await findPlace(call.to)
      await move(place.path, to.path)
      return { ok: true }
    }
    case 'remove': {
      await using place = await findPlace(call.path)
      return (await removeFiles(place.path, removeMs)) ? { ok: true } : { ok: false, fault: 'unfinished' }
    }
  }
}

type Send = (data: Buffer | string) => Promise<void>

async function list(call: Extract<FilesCall, { op: 'list' }>, send: Send): Promise<FilesReply> {
  await using folder = await findFolder(call.path)
  const { names, hasMore } = await firstNames(placeOf(folder), call.after, call.limit)
  let told = 0
  for (let at = 0; at < names.length; at += entriesAtOnce) {
    const found = await Promise.allSettled(
      names.slice(at, at + entriesAtOnce).map(async ({ bytes, shown }) => {
        const stats = await lstat(Buffer.concat([Buffer.from(`${placeOf(folder)}/`), bytes]))
        return lineOf(shown, stats)
      }),
    )
    for (const outcome of found)
      // Gone since it was read.
      if (outcome.status === 'rejected' && codeOf(outcome.reason) !== 'ENOENT') throw outcome.reason
    const lines = found.flatMap(outcome => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    told += lines.length
    if (lines.length > 0) await send(lines.join(''))
  }
  // A page without a name leads to no next one.
  return told === 0 && hasMore ? { ok: false, fault: 'unfinished' } : { ok: true, hasMore }
}

async function read(call: Extract<FilesCall, { op: 'read' }>, send: Send): Promise<FilesReply> {
  const { path, from, length } = call
  await using file = await openFile(path, O_RDONLY)
  const stats = await file.stat()
  await send(lineOf(basename(path), stats))
  const end = Math.min(stats.size, from + (length ?? Infinity))
  let at = from
  while (at < end) {
    const chunk = Buffer.allocUnsafeSlow(Math.min(chunkBytes, end - at))
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at)
    // It was cut short meanwhile: what was promised is not there.
    if (bytesRead === 0) throw new Refused('unknown')
    await send(chunk.subarray(0, bytesRead))
    at += bytesRead
  }
  return { ok: true, bytes: at - from }
}

/** Answers the file's size. */
async function write(
  { path, from }: Extract<FilesCall, { op: 'write' }>,
  data: AsyncIterable<Buffer>,
): Promise<number> {
  const { folder, name } = await locate(path)
  try {
    const place = `${placeOf(folder)}/${name}`
    return from === null ? await replace(folder, place, data) : await writeFrom(place, from, data)
  } finally {
    await folder.close()
  }
}

/** Beside the old file, under a name that nobody guesses; the last step puts it in the old one's place. */
async function replace(folder: FileHandle, place: string, data: AsyncIterable<Buffer>): Promise<number> {
  const old = await lstat(place).catch(unlessMissing)
  if (old && !old.isFile()) throw new Refused('not_a_file')
  const beside = `${placeOf(folder)}/.ingot-${randomUUID()}`
  await using file = await open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    await pour(data, file, 0, syncBytes)
    await file.chmod(old ? old.mode & 0o777 : 0o644)
    await file.datasync()
    const { size } = await file.stat()
    await rename(beside, place)
    return size
  } catch (error) {
    await unlink(beside).catch(() => {})
    throw error
  }
}

async function writeFrom(place: string, from: number, data: AsyncIterable<Buffer>): Promise<number> {
  await using file = await openOrMake(place)
  await pour(data, file, from, Infinity)
  return (await file.stat()).size
}

/** Several who write parts of a new file at once all get the same one. */
async function openOrMake(place: string): Promise<FileHandle> {
  const present = await openFile(place, O_WRONLY | O_NOFOLLOW).catch(unlessMissing)
  if (present) return present
  try {
    const made = await open(place, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    await made.chmod(0o644)
    return made
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    return openFile(place, O_WRONLY | O_NOFOLLOW)
  }
}

async function pour(
  data: AsyncIterable<Buffer>,
  file: FileHandle,
  from: number,
  stepBytes: number,
): Promise<void> {
  let at = from
  let unsynced = 0
  for await (const chunk of data) {
    for (let done = 0; done < chunk.length;) {
      const { bytesWritten } = await file.write(chunk, done, chunk.length - done, at)
      done += bytesWritten
      at += bytesWritten
    }
    unsynced += chunk.length
    if (unsynced < stepBytes) continue
    await file.datasync()
    unsynced = 0
  }
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, 0o755)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !(await stat(path).catch(unlessMissing))?.isDirectory()) throw error
  }
}

/** The kernel's own way not to replace anything is out of Node's reach: a new link or folder claims the name instead. */
async function move(path: string, to: string): Promise<void> {
  const moved = await lstat(path)
  if (moved.isDirectory()) await mkdir(to, 0o700)
  else await link(path, to)
  try {
    if (moved.isDirectory()) return await rename(path, to)
    const { dev, ino } = await lstat(path)
    // A program may have put another file there in the meantime; that one stays.
    if (dev === moved.dev && ino === moved.ino) await unlink(path)
  } catch (error) {
    await (moved.isDirectory() ? rmdir(to) : unlink(to)).catch(() => {})
    // What claimed the name was filled meanwhile.
    throw codeOf(error) === 'ENOTEMPTY' ? new Refused('exists') : error
  }
}

/** The folder that a file lies in, or is to lie in, and its name there, links followed. */
async function locate(path: string): Promise<{ folder: FileHandle; name: string }> {
  let at = path
  for (let links = 0; links <= maxLinks; links++) {
    const folder = await findFolder(dirname(at))
    const name = basename(at)
    const next = await readlink(`${placeOf(folder)}/${name}`, 'buffer').catch(() => null)
    if (next === null) return { folder, name }
    await folder.close()
    if (!isUtf8(next)) throw new Refused('bad_path')
    at = next[0] === 0x2f ? next.toString() : `${dirname(at)}/${next.toString()}`
  }
  throw new Refused('bad_path')
}

const unlessMissing = (error: unknown): null => {
  if (codeOf(error) === 'ENOENT') return null
  throw error
}

function entryOf(name: string, stats: Stats): FileEntry {
  const kind = stats.isFile()
    ? 'file'
    : stats.isDirectory()
      ? 'folder'
      : stats.isSymbolicLink()
        ? 'link'
        : 'other'
  return {
    name,
    kind,
    bytes: Math.min(stats.size, Number.MAX_SAFE_INTEGER),
    modifiedAt: Math.round(Math.min(maxTime, Math.max(-maxTime, stats.mtimeMs))),
    mode: stats.mode & 0o7777,
  }
}

const lineOf = (name: string, stats: Stats): string => `${JSON.stringify(entryOf(name, stats))}\n`

/** Hands on data and waits until there is room for more. */
function taken(output: Writable, data: Buffer | string, patienceMs: number): Promise<void> {
  if (!output.writable) return Promise.reject(new Refused('unknown'))
  if (output.write(data)) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => () => {
      clearTimeout(timer)
      output.off('drain', drained).off('close', closed)
      act()
    }
    const drained = settle(resolve)
    const closed = settle(() => reject(new Refused('unknown')))
    // Nothing more will go that way.
    const timer = setTimeout(() => output.destroy(), patienceMs)
    output.once('drain', drained).once('close', closed)
  })
}

/** What comes in; an end without the end mark, or a silence that is too long, is an error. */
async function* arriving(input: Readable, patienceMs: number): AsyncGenerator<Buffer, void, void> {
  const wait = () => setTimeout(() => input.destroy(new Error('nothing came')), patienceMs)
  let silent = wait()
  try {
    for await (const chunk of input) {
      // How long the disk takes is not for the other side to answer for.
      clearTimeout(silent)
      yield chunk as Buffer
      silent = wait()
    }
  } finally {
    clearTimeout(silent)
  }
}

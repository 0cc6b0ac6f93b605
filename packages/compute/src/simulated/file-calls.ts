/**
 * The calls on a simulated machine's files. What every machine has can be read and not changed; what was written is kept
 * by `disks.ts`. Nothing is a link here, so a path means what its letters say.
 */
import { Readable } from 'node:stream'
import { isCount, isPath, refusedFile } from '../checks.ts'
import {
  type Answer,
  done,
  failed,
  type FileEntry,
  type MachineFiles,
  maxListed,
  type Ref,
} from '../driver.ts'
import { maxFileBytes } from './disks.ts'
import type { MountedDisks } from './mounted-disks.ts'
import type { Entry, MachineFacts } from './facts.ts'
import { find, namesIn, resolve, within } from './files.ts'

export interface FileNeeds {
  readonly disks: MountedDisks
  readonly now: () => number
  /** What is known of a machine that is there. */
  readonly factsOf: (ref: Ref) => Answer<MachineFacts>
  /** Every call is answered through this: it may fail by plan. */
  readonly answer: <T>(ref: Ref, work: () => Answer<T>) => Promise<Answer<T>>
}

/** Writes whose data is still coming, of one machine. */
const maxWrites = 16
const busy = failed('transient', 'Too many files of this machine are in use at once. Try again in a moment.')
const cutShort = failed('transient', 'The data did not arrive whole.')
const noSpace = refusedFile(
  'no_space',
  'A simulated machine keeps at most 1 MiB a file and 16 MiB in 1,000 files and folders.',
)
const fixed = refusedFile('no_access', 'Every simulated machine has this: it can be read, not changed.')
const readOnly = refusedFile('no_access', 'The volume is read-only.')
const elsewhere = refusedFile('bad_path', 'A volume’s files can’t be moved to another disk.')
const intoItself = refusedFile('bad_path', 'A folder can’t be moved into itself.')

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

const entryOf = (path: string, { kind, bytes, modifiedAtMs, mode }: Entry): FileEntry => ({
  name: path === '/' ? path : path.slice(path.lastIndexOf('/') + 1),
  kind,
  bytes,
  modifiedAt: Math.round(modifiedAtMs),
  mode,
})

interface Place {
  /** Without dots and doubled slashes. */
  readonly path: string
  /** Null: nothing is there, but the folder that it would be in is. */
  readonly entry: Entry | null
}

function placeOf(path: string, facts: MachineFacts): Answer<Place> {
  if (!isPath(path)) return refusedFile('bad_path')
  const resolved = resolve('/', path)
  const names = resolved.split('/').slice(1, -1)
  const folder = (depth: number) => find(`/${names.slice(0, depth).join('/')}`, facts)
  // Where a folder is, all above it are: the deepest is found in few steps, however deep somebody has dug.
  let depth = names.length
  for (let isThere = 0, isNot = names.length + 1; isNot - isThere > 1;) {
    if (folder(depth)) isThere = depth
    else isNot = depth
    depth = isThere + Math.floor((isNot - isThere) / 2)
  }
  if (folder(depth)?.kind !== 'folder') return refusedFile('not_a_folder')
  if (depth < names.length) return refusedFile('not_found')
  return done({ path: resolved, entry: find(resolved, facts) })
}

export function createFileCalls(needs: FileNeeds): (ref: Ref) => MachineFiles {
  const { disks, now, answer } = needs
  const writes = new Map<Ref, number>()

  /** What is at a path, of a machine that is there. */
  function at<T>(ref: Ref, path: string, act: (place: Place, facts: MachineFacts) => Answer<T>): Answer<T> {
    const facts = needs.factsOf(ref)
    if (facts.kind !== 'done') return facts
    const place = placeOf(path, facts.value)
    return place.kind === 'done' ? act(place.value, facts.value) : place
  }

  /** Something that is there. */
  const there = <T>(
    ref: Ref,
    path: string,
    act: (path: string, entry: Entry, facts: MachineFacts) => Answer<T>,
  ): Answer<T> =>
    at(ref, path, ({ path, entry }, facts) => (entry ? act(path, entry, facts) : refusedFile('not_found')))

  /** A file that may be written, or made. */
  const writable = (ref: Ref, path: string): Answer<Place> =>
    at(ref, path, place => {
      if (place.entry?.kind === 'folder') return refusedFile('not_a_file')
      if (disks.isReadOnly(ref, place.path)) return readOnly
      return place.entry?.isFixed ? fixed : done(place)
    })

  function put(ref: Ref, path: string, content: Buffer, from: number | undefined): Answer<{ bytes: number }> {
    const target = writable(ref, path)
    if (target.kind !== 'done') return target
    const old = from === undefined ? Buffer.alloc(0) : Buffer.from(target.value.entry?.read() ?? [])
    const start = from ?? 0
    const all = Buffer.alloc(Math.max(old.length, start + content.length))
    all.set(old)
    all.set(content, start)
    return disks.write(ref, target.value.path, all, now()) ? done({ bytes: all.length }) : noSpace
  }

  async function write(
    ref: Ref,
    path: string,
    data: Readable,
    from?: number,
  ): Promise<Answer<{ bytes: number }>> {
    if (from !== undefined && !isCount(from)) return refusedFile('bad_path')
    const target = writable(ref, path)
    if (target.kind !== 'done') return answer(ref, () => target)
    const room = maxFileBytes - (from ?? 0)
    if (room < 0) return noSpace
    const count = writes.get(ref) ?? 0
    if (count >= maxWrites) return busy
    writes.set(ref, count + 1)
    const { content, isWhole, isTooMuch } = await received(data, room).finally(() => {
      const left = writes.get(ref)! - 1
      if (left > 0) writes.set(ref, left)
      else writes.delete(ref)
    })
    if (isTooMuch) return noSpace
    if (!isWhole && from === undefined) return cutShort
    return answer(ref, () => {
      const written = put(ref, path, content, from)
      return isWhole || written.kind === 'failed' ? written : cutShort
    })
  }

  function rename(ref: Ref, path: string, to: string): Answer {
    return at(ref, to, target =>
      there(ref, path, (from, entry) => {
        if (target.entry) return refusedFile('exists')
        if (entry.isFixed) return fixed
        if (disks.isReadOnly(ref, from) || disks.isReadOnly(ref, target.path)) return readOnly
        if (target.path.startsWith(`${from}/`)) return intoItself
        return disks.move(ref, from, target.path) ? done() : elsewhere
      }),
    )
  }

  function remove(ref: Ref, path: string): Answer {
    const removed = there<void>(ref, path, (path, entry) => {
      if (entry.isFixed) return fixed
      if (disks.isReadOnly(ref, path)) return readOnly
      disks.remove(ref, path)
      return done()
    })
    const isThere = !(removed.kind === 'failed' && removed.fault === 'not_found')
    return isThere ? removed : done()
  }

  return ref => ({
    list: (path, page = {}) =>
      answer(ref, () => there(ref, path, (path, entry, facts) => pageOf(path, entry, facts, page))),
    stat: path => answer(ref, () => there(ref, path, (path, entry) => done(entryOf(path, entry)))),
    read: (path, range = {}) =>
      answer(ref, () => there(ref, path, (path, entry) => partOf(path, entry, range))),
    write: (path, data, { from } = {}) => write(ref, path, data, from),
    makeFolder: path =>
      answer(ref, () =>
        at(ref, path, ({ path, entry }) => {
          if (entry) return entry.kind === 'folder' ? done() : refusedFile('exists')
          if (disks.isReadOnly(ref, path)) return readOnly
          return disks.write(ref, path, null, now()) ? done() : noSpace
        }),
      ),
    rename: (path, to) => answer(ref, () => rename(ref, path, to)),
    remove: path => answer(ref, () => remove(ref, path)),
  })
}

function pageOf(
  path: string,
  entry: Entry,
  facts: MachineFacts,
  { after = '', limit = maxListed }: { readonly after?: string; readonly limit?: number },
): Answer<{ entries: readonly FileEntry[]; hasMore: boolean }> {
  if (entry.kind !== 'folder') return refusedFile('not_a_folder')
  const most = Math.min(maxListed, Math.max(1, Math.trunc(limit) || maxListed))
  const names = namesIn(path, facts)
    .filter(name => byBytes(name, after) > 0)
    .toSorted(byBytes)
  const entries = names.slice(0, most).flatMap(name => {
    const found = find(within(path, name), facts)
    return found ? [entryOf(`/${name}`, found)] : []
  })
  return done({ entries, hasMore: names.length > most })
}

function partOf(
  path: string,
  entry: Entry,
  { from = 0, length = Infinity }: { readonly from?: number; readonly length?: number },
): Answer<{ entry: FileEntry; data: Readable }> {
  if (entry.kind !== 'file') return refusedFile('not_a_file')
  if (!isCount(from) || (length !== Infinity && !isCount(length))) return refusedFile('bad_path')
  const data = Buffer.from(entry.read()).subarray(from, from + length)
  return done({ entry: entryOf(path, entry), data: Readable.from(data, { objectMode: false }) })
}

/** Takes no more than `most` bytes, in however many pieces they come, and leaves the stream itself to its owner. */
async function received(data: Readable, most: number) {
  const room = Buffer.allocUnsafe(most)
  let bytes = 0
  const answer = (isWhole: boolean, isTooMuch = false) => ({
    content: room.subarray(0, bytes),
    isWhole,
    isTooMuch,
  })
  try {
    for await (const piece of data.iterator({ destroyOnReturn: false })) {
      const part = Buffer.from(piece)
      if (bytes + part.length > most) return answer(false, true)
      room.set(part, bytes)
      bytes += part.length
    }
    return answer(true)
  } catch {
    return answer(false)
  }
}

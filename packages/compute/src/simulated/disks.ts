/**
 * What was written to the files of simulated machines. A file or folder is a record that names the folder it is in, so
 * a move is one record, and a process that is killed in the middle of a removal leaves no more than what its next start
 * sweeps away. All of it is in memory as well, so a file, a machine and all machines together are bounded.
 */
import { createHash } from 'node:crypto'
import { type Ref } from '../driver.ts'
import type { Entry, Written } from './facts.ts'
import { fileMode, folderMode, isFixedFolder, within } from './files.ts'
import { openRecords } from './records.ts'

interface Kept {
  readonly ref: Ref
  /** The path of a folder that every machine has, else the id of the record that is the folder. */
  readonly parent: string
  readonly name: string
  readonly modifiedAtMs: number
  /** In base64; of a folder null. */
  readonly data: string | null
}

export const maxFileBytes = 2 ** 20
export const maxMachineBytes = 16 * 2 ** 20
export const maxEntries = 1_000
export const maxAllBytes = 128 * 2 ** 20
const maxAllEntries = 100_000

/** What is known of one machine's records. */
interface Disk {
  /** Ids by name, by the folder that they are in. */
  readonly folders: Map<string, Map<string, string>>
  readonly ids: Set<string>
  bytes: number
}
const nothing: ReadonlyMap<string, string> = new Map()

export type Disks = ReturnType<typeof openDisks>

const bytesOf = ({ data }: Kept): number => (data === null ? 0 : Buffer.byteLength(data, 'base64'))

/** `isThere`: whether there still is such a machine. */
export function openDisks(dir: string | null, isThere: (ref: Ref) => boolean) {
  const records = openRecords(dir, isKept)
  const machines = new Map<Ref, Disk>()
  let allBytes = 0
  let allEntries = 0
  let made = 0

  function enter(id: string, kept: Kept): void {
    const disk = machines.get(kept.ref) ?? {
      folders: new Map<string, Map<string, string>>(),
      ids: new Set(),
      bytes: 0,
    }
    machines.set(kept.ref, disk)
    const names = disk.folders.get(kept.parent) ?? new Map<string, string>()
    disk.folders.set(kept.parent, names.set(kept.name, id))
    disk.ids.add(id)
    disk.bytes += bytesOf(kept)
    allBytes += bytesOf(kept)
    allEntries++
  }

  function leave(id: string, kept: Kept): void {
    const disk = machines.get(kept.ref)!
    const names = disk.folders.get(kept.parent)
    names?.delete(kept.name)
    if (names?.size === 0) disk.folders.delete(kept.parent)
    disk.ids.delete(id)
    if (disk.ids.size === 0) machines.delete(kept.ref)
    disk.bytes -= bytesOf(kept)
    allBytes -= bytesOf(kept)
    allEntries--
  }

  function put(id: string, kept: Kept): void {
    const before = records.get(id)
    records.put(id, kept)
    if (before) leave(id, before)
    enter(id, kept)
  }

  function drop(id: string): void {
    const kept = records.get(id)
    if (!kept) return
    records.drop(id)
    leave(id, kept)
  }

  const inFolder = (ref: Ref, parent: string): ReadonlyMap<string, string> =>
    machines.get(ref)?.folders.get(parent) ?? nothing

  /** The folder or file at a path: its record's id, or the path of a folder that every machine has. */
  function walk(ref: Ref, path: string): string | null {
    const folders = machines.get(ref)?.folders
    let at = '/'
    for (const name of path.split('/').filter(Boolean)) {
      const fixed = at.startsWith('/') ? within(at, name) : null
      const next = fixed && isFixedFolder(fixed) ? fixed : folders?.get(at)?.get(name)
      if (next === undefined) return null
      at = next
    }
    return at
  }

  function keptAt(ref: Ref, path: string): readonly [id: string, kept: Kept] | null {
    const id = walk(ref, path)
    const kept = id === null ? undefined : records.get(id)
    return id !== null && kept ? [id, kept] : null
  }

  const usedBytes = (ref: Ref): number => machines.get(ref)?.bytes ?? 0

  /** Makes or replaces what stands at `path`, whose folder is there. False: there is no room for it. */
  function write(ref: Ref, path: string, content: Buffer | null, nowMs: number): boolean {
    const known = keptAt(ref, path)
    const more = (content?.length ?? 0) - (known ? bytesOf(known[1]) : 0)
    const isNew = known === null
    if ((content?.length ?? 0) > maxFileBytes) return false
    if (more > 0 && (usedBytes(ref) + more > maxMachineBytes || allBytes + more > maxAllBytes)) return false
    if (isNew && ((machines.get(ref)?.ids.size ?? 0) >= maxEntries || allEntries >= maxAllEntries))
      return false
    const [parent, name] = split(path)
    const id = known?.[0] ?? nextId(ref)
    const data = content && content.toString('base64')
    put(id, { ref, parent: walk(ref, parent)!, name, modifiedAtMs: Math.round(nowMs), data })
    return true
  }

  const nextId = (ref: Ref): string => {
    do made++
    while (records.get(`${ref}.${made}`))
    return `${ref}.${made}`
  }

  /** To a path where nothing is, in a folder that is there and not in itself. */
  function move(ref: Ref, path: string, to: string): void {
    const [id, kept] = keptAt(ref, path)!
    const [parent, name] = split(to)
    put(id, { ...kept, parent: walk(ref, parent)!, name })
  }

  /** With all that is in it. Its own record goes first: what is in it then is out of reach. */
  function remove(ref: Ref, path: string): void {
    const found = keptAt(ref, path)
    const waiting = found ? [found[0]] : []
    for (let id; (id = waiting.pop());) {
      waiting.push(...inFolder(ref, id).values())
      drop(id)
    }
  }

  function removeAll(ref: Ref): void {
    for (const id of machines.get(ref)?.ids ?? []) drop(id)
  }

  /** All of one disk onto an empty one; false: there is no room, and nothing is copied. */
  function copy(from: Ref, to: Ref): boolean {
    const disk = machines.get(from)
    if (!disk) return true
    if (allBytes + disk.bytes > maxAllBytes || allEntries + disk.ids.size > maxAllEntries) return false
    const ids = new Map([...disk.ids].map(id => [id, nextId(to)]))
    for (const [id, copied] of ids) {
      const kept = records.get(id)!
      put(copied, { ...kept, ref: to, parent: ids.get(kept.parent) ?? kept.parent })
    }
    return true
  }

  /** Of names, places and contents; in whatever order they were written. */
  function checksum(ref: Ref): string {
    const lines: string[] = []
    const waiting: [parent: string, path: string][] = [...(machines.get(ref)?.folders.keys() ?? [])]
      .filter(isFixedFolder)
      .map(folder => [folder, folder])
    for (let next; (next = waiting.pop());) {
      const [parent, path] = next
      for (const [name, id] of inFolder(ref, parent)) {
        const { data } = records.get(id)!
        lines.push(JSON.stringify([path, name, data]))
        if (data === null) waiting.push([id, within(path, name)])
      }
    }
    return createHash('sha256').update(lines.toSorted().join('\n')).digest('hex')
  }

  function sweep(): void {
    const known = new Map<string, Kept>(records)
    for (const [id, kept] of known) enter(id, kept)
    const reached = new Set<string>()
    const waiting = [...known].filter(([, { ref, parent }]) => isThere(ref) && isFixedFolder(parent))
    for (let next; (next = waiting.pop());) {
      const [id, { ref }] = next
      reached.add(id)
      for (const child of inFolder(ref, id).values()) waiting.push([child, known.get(child)!])
    }
    for (const id of known.keys()) if (!reached.has(id)) drop(id)
  }

  sweep()

  return {
    write,
    move,
    remove,
    removeAll,
    copy,
    checksum,
    usedBytes,
    /** What commands and calls see of a machine. */
    of: (ref: Ref): Written => ({
      find(path) {
        const found = keptAt(ref, path)
        return found && entryOf(found[1])
      },
      names: folder => [...inFolder(ref, walk(ref, folder) ?? '').keys()],
    }),
  }
}

const entryOf = (kept: Kept): Entry => ({
  kind: kept.data === null ? 'folder' : 'file',
  isFixed: false,
  mode: kept.data === null ? folderMode : fileMode,
  modifiedAtMs: kept.modifiedAtMs,
  bytes: kept.data === null ? 4_096 : bytesOf(kept),
  read: () => Buffer.from(kept.data ?? '', 'base64'),
})

function split(path: string): [folder: string, name: string] {
  const at = path.lastIndexOf('/')
  return [path.slice(0, at) || '/', path.slice(at + 1)]
}

function isKept(value: unknown): value is Kept {
  const kept = value as Partial<Kept> | null
  return (
    typeof kept === 'object' &&
    kept !== null &&
    typeof kept.ref === 'string' &&
    typeof kept.parent === 'string' &&
    typeof kept.name === 'string' &&
    Number.isFinite(kept.modifiedAtMs) &&
    (kept.data === null || typeof kept.data === 'string')
  )
}

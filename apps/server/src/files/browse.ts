/** Folders, and what becomes of what is in them. */
import { posix } from 'node:path'
import { type FileEntry as Entry, maxListed, type MachineFiles } from '@ingot/compute/driver'
import { IngotError } from '@ingot/contracts/errors'
import type { FileEntry } from '@ingot/contracts/files'
import { ask } from './ask.ts'

interface Listing {
  readonly path: string
  readonly items: FileEntry[]
  readonly next_cursor: string | null
}

export async function listFiles(
  files: MachineFiles,
  { path, limit, after }: { path: string; limit: number; after: string | null },
): Promise<Listing> {
  const { entries, hasMore } = await ask(() =>
    files.list(path, { limit: Math.min(limit, maxListed), ...(after === null ? {} : { after }) }),
  )
  const last = entries.at(-1)
  return {
    path,
    items: entries.map(shown),
    next_cursor: hasMore && last ? cursorOf(last.name) : null,
  }
}

/** The name of the last entry; its first letter tells it from what is none. */
const cursorOf = (name: string): string => `n${Buffer.from(name).toString('base64url')}`
export function readNameCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null
  const name = Buffer.from(cursor.slice(1), 'base64url').toString()
  if (name === '' || name.includes('\0') || cursorOf(name) !== cursor)
    throw new IngotError('validation_failed', { fields: { cursor: 'is not a cursor of this list' } })
  return name
}

const longestTime = 8.64e15
export const shown = ({ name, kind, bytes, modifiedAt, mode }: Entry): FileEntry => ({
  name,
  kind,
  bytes,
  modified_at: new Date(Math.min(Math.max(0, modifiedAt), longestTime)).toISOString(),
  mode: `0${(mode & 0o7777).toString(8).padStart(3, '0')}`,
})

export async function makeFolder(files: MachineFiles, path: string): Promise<void> {
  await ask(() => files.makeFolder(path))
}

/** The fault of a move may lie in either path: the one that is not there is the one to blame. */
export async function moveFile(files: MachineFiles, path: string, to: string): Promise<void> {
  refuseRoot(path)
  await ask(() => files.stat(path))
  await ask(() => files.rename(path, to), { field: 'to' })
}

export async function deleteFile(files: MachineFiles, path: string): Promise<void> {
  refuseRoot(path)
  await ask(() => files.remove(path))
}

function refuseRoot(path: string): void {
  if (posix.normalize(path) === '/')
    throw new IngotError('validation_failed', { fields: { path: 'is the root of the disk' } })
}

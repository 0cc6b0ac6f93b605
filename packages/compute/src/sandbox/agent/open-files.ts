/**
 * How a file of the machine is opened: found first, without opening it, then looked at, and only then opened, through
 * what was found. So whatever takes its name meanwhile is neither opened nor waited for: no FIFO, no device, no
 * terminal. The same way leads into folders: what lies in one is reached through the folder that was found, not
 * through its name.
 */
import { constants } from 'node:fs'
import { chmod, type FileHandle, open, readlink, statfs } from 'node:fs/promises'
import { basename, dirname } from 'node:path/posix'
import type { FilesFault } from '../wire/files.ts'

export class Refused extends Error {
  readonly fault: FilesFault
  constructor(fault: FilesFault) {
    super(fault)
    this.fault = fault
  }
}

const faults: Readonly<Record<string, FilesFault>> = {
  ENOENT: 'not_found',
  EEXIST: 'exists',
  ENOTDIR: 'not_a_folder',
  EISDIR: 'not_a_file',
  ENOTEMPTY: 'not_empty',
  EACCES: 'no_access',
  EPERM: 'no_access',
  EROFS: 'no_access',
  // A mount, or a program that runs.
  EBUSY: 'no_access',
  ETXTBSY: 'no_access',
  ENOSPC: 'no_space',
  EDQUOT: 'no_space',
  EFBIG: 'no_space',
  ENAMETOOLONG: 'bad_path',
  ELOOP: 'bad_path',
  EINVAL: 'bad_path',
  EXDEV: 'other_disk',
}

export const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

export const faultOf = (error: unknown): FilesFault =>
  error instanceof Refused ? error.fault : (faults[codeOf(error) ?? ''] ?? 'unknown')

/** O_PATH, which Node does not name: finds what has the name and opens nothing. */
const find = 0o10000000
const { O_DIRECTORY, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK } = constants
/** Files of the kernel's own have no size, and through `/proc/self/mem` this process could be rewritten: proc and sysfs. */
const kernelsOwn: readonly number[] = [0x9fa0, 0x62656572]

/** The path of what is open, whatever has become of its name. */
export const placeOf = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`

/** Below this folder is all that may be found; null: anywhere. */
let top: string | null = null
export const confineTo = (folder: string): void => {
  top = folder
}

/** What is found is looked at, and not how it was named: a link may have led out. Nothing moves it out afterwards. */
async function held(found: FileHandle): Promise<FileHandle> {
  if (top === null) return found
  const place = await readlink(placeOf(found), 'latin1').catch(() => '')
  if (place === top || place.startsWith(`${top}/`)) return found
  await found.close()
  throw new Refused('no_access')
}

/** A path for a call that opens nothing: where all is confined, it goes through the folder that was found. */
export async function findPlace(path: string): Promise<{ readonly path: string } & AsyncDisposable> {
  const folder = top === null ? null : await findFolder(dirname(path))
  return {
    path: folder ? `${placeOf(folder)}/${basename(path)}` : path,
    [Symbol.asyncDispose]: async () => folder?.close(),
  }
}

/** Opens a regular file. A link that ends the path is followed, unless `flags` says not to. */
export async function openFile(path: string, flags: number): Promise<FileHandle> {
  await using found = await held(await open(path, find | (flags & O_NOFOLLOW)))
  const isFile = (await found.stat()).isFile()
  if (!isFile || kernelsOwn.includes((await statfs(placeOf(found))).type)) throw new Refused('not_a_file')
  // Somebody may hold a lease on it: then this is refused and does not wait. `found` must be open until it is done.
  return await open(placeOf(found), (flags & ~O_NOFOLLOW) | O_NONBLOCK | O_NOCTTY)
}

/** A folder as a way to what is in it. */
export const findFolder = async (path: string | Buffer, flags = 0): Promise<FileHandle> =>
  held(await open(path, find | O_DIRECTORY | flags))

/** The same of a folder to be emptied, not of a link to one. Its owner may have closed it. */
export async function findOwnFolder(path: Buffer | string): Promise<FileHandle> {
  const folder = await findFolder(path, O_NOFOLLOW)
  try {
    const { mode } = await folder.stat()
    if ((mode & 0o700) !== 0o700) await chmod(placeOf(folder), (mode & 0o7777) | 0o700)
    return folder
  } catch (error) {
    await folder.close()
    throw error
  }
}

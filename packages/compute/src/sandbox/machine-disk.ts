/** A machine's own folders, made once and then the customer's: afterwards nothing is written into them from outside. */
import { chownSync, opendirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { homeBashrc } from './machine-files.ts'
import { makeFolder } from './machine-store.ts'
import { diskFolders } from './machine-view.ts'

export function makeDisk(folder: string, uid: number | null): void {
  // Its own uid must pass through, but nobody has to list it.
  makeFolder(join(folder, 'disk'), 0o711)
  // Seen as /volumes, and empty until a volume is mounted below it.
  makeFolder(join(folder, 'volumes'), 0o755)
  for (const [name, mode] of Object.entries(diskFolders)) makeOwned(join(folder, 'disk', name), mode, uid)
  const root = join(folder, 'disk', 'root')
  writeFileSync(join(root, '.bashrc'), homeBashrc, { mode: 0o644 })
  give(join(root, '.bashrc'), uid)
  const runtimeData = join(folder, 'disk', 'var')
  for (const name of ['cache', 'lib', 'log', 'spool']) makeOwned(join(runtimeData, name), 0o755, uid)
  makeOwned(join(runtimeData, 'tmp'), 0o1777, uid)
  symlinkSync('/run', join(runtimeData, 'run'))
}

/** Empties `/tmp`: `discard` throws away what is in it. */
export function renewTmp(folder: string, uid: number | null, discard: (path: string) => void): void {
  const tmp = join(folder, 'disk', 'tmp')
  if (isEmpty(tmp)) return
  discard(tmp)
  makeOwned(tmp, diskFolders.tmp, uid)
}

/** Reads one name: there may be any number. */
function isEmpty(path: string): boolean {
  try {
    const folder = opendirSync(path, { bufferSize: 1 })
    const first = folder.readSync()
    folder.closeSync()
    return first === null
  } catch {
    // The customer has closed it.
    return false
  }
}

export function makeOwned(path: string, mode: number, uid: number | null): void {
  makeFolder(path, mode)
  give(path, uid)
}

function give(path: string, uid: number | null): void {
  if (uid !== null) chownSync(path, uid, uid)
}

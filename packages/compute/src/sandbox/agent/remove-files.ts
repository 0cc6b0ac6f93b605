/**
 * Removes what a tenant has filled: any number of names, any depth, any mode, names that are no UTF-8. It never holds more
 * than a few names and two open folders: a full folder below the second level is moved up first, since a path can be
 * longer than the kernel takes. No link is followed, whatever is swapped meanwhile.
 *
 * It works for so long and then says that it is not finished; called again it goes on. A mount is refused before
 * anything in it is touched.
 */
import { randomUUID } from 'node:crypto'
import { type FileHandle, opendir, rename, rmdir, unlink } from 'node:fs/promises'
import { basename } from 'node:path/posix'
import { codeOf, findOwnFolder, placeOf, Refused } from './open-files.ts'

const namesAtOnce = 64

/** True when nothing is left of it. */
export async function removeFiles(path: string, patienceMs: number): Promise<boolean> {
  if (['.', '..'].includes(basename(path))) throw new Refused('bad_path')
  const until = performance.now() + patienceMs
  if (await isRemoved(path)) return true
  await using top = await findOwnFolder(path)
  do {
    await empty(top, top, until)
    if (await isRemoved(path)) return true
  } while (performance.now() < until)
  return false
}

/** Removes a file, a link or an empty folder. False: it is a folder that is not empty. */
async function isRemoved(path: string | Buffer): Promise<boolean> {
  try {
    await unlink(path).catch(error => {
      if (codeOf(error) !== 'EISDIR') throw error
      return rmdir(path)
    })
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return true
    if (codeOf(error) === 'ENOTEMPTY') return false
    throw error
  }
}

/** Goes through a folder once and removes what it meets; what is full is emptied in `top` and moved there from below. */
async function empty(folder: FileHandle, top: FileHandle, until: number): Promise<void> {
  let batch: Buffer[] = []
  // One character for each byte: a name need not be UTF-8.
  const options = { encoding: 'latin1', bufferSize: namesAtOnce } as const
  for await (const { name } of await opendir(placeOf(folder), options)) {
    batch.push(Buffer.from(`${placeOf(folder)}/${name}`, 'latin1'))
    if (batch.length < namesAtOnce) continue
    await removeBatch(batch, folder, top, until)
    batch = []
    if (performance.now() > until) return
  }
  await removeBatch(batch, folder, top, until)
}

async function removeBatch(paths: Buffer[], folder: FileHandle, top: FileHandle, until: number) {
  // All have ended when this goes on: none may act in a folder that was closed, its number is soon another's.
  const outcomes = await Promise.allSettled(paths.map(isRemoved))
  for (const [at, outcome] of outcomes.entries()) {
    if (outcome.status === 'rejected') throw outcome.reason
    if (!outcome.value) await removeFull(paths[at]!, folder, top, until)
  }
}

async function removeFull(path: Buffer, folder: FileHandle, top: FileHandle, until: number): Promise<void> {
  try {
    await using inner = await findOwnFolder(path)
    if (folder !== top) return await rename(path, `${placeOf(top)}/.ingot-${randomUUID()}`)
    await empty(inner, top, until)
    await isRemoved(path)
  } catch (error) {
    // Something else has its name by now: the next round meets that.
    if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error) ?? '')) throw error
  }
}

/** The files below one folder, as if that were the top of all. Dots in a path are taken by its letters. */
import { posix } from 'node:path'
import { isPath, refusedFile } from './checks.ts'
import { done, type MachineFiles } from './driver.ts'

export function filesBelow(files: MachineFiles, top: string): MachineFiles {
  const resolved = (path: string) => posix.resolve(path)
  // A name in `top` as well, so that whoever looks at a path by its folder stays there.
  const placed = (path: string) => `${top}${resolved(path) === '/' ? '/.' : resolved(path)}`
  const isUsable = (path: string) => isPath(path) && isPath(placed(path))
  const bad = refusedFile('bad_path')

  return {
    list: async (path, page) => (isUsable(path) ? files.list(placed(path), page) : bad),
    stat: async path => {
      if (!isUsable(path)) return bad
      const answer = await files.stat(placed(path))
      if (answer.kind !== 'done' || resolved(path) !== '/') return answer
      return done({ ...answer.value, name: '/' })
    },
    read: async (path, range) => (isUsable(path) ? files.read(placed(path), range) : bad),
    write: async (path, data, options) => (isUsable(path) ? files.write(placed(path), data, options) : bad),
    makeFolder: async path => (isUsable(path) ? files.makeFolder(placed(path)) : bad),
    rename: async (path, to) =>
      isUsable(path) && isUsable(to) ? files.rename(placed(path), placed(to)) : bad,
    remove: async path => (isUsable(path) ? files.remove(placed(path)) : bad),
  }
}

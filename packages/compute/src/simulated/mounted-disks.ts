/**
 * The disks of simulated machines with their volumes in place: what lies below `/volumes/<name>` is the volume's own
 * disk, which outlives the machine, and `/workspace/<name>` leads there where nothing else has that name.
 */
import type { Ref } from '../driver.ts'
import { linksFolder, mountPath, type VolumeMount, volumesFolder } from '../volume-mount.ts'
import type { Disks } from './disks.ts'
import type { Entry, Written } from './facts.ts'
import { folderMode } from './files.ts'

export interface MountedDisks {
  of(ref: Ref): Written
  write(ref: Ref, path: string, content: Buffer | null, nowMs: number): boolean
  /** False: the two are on different disks. */
  move(ref: Ref, path: string, to: string): boolean
  remove(ref: Ref, path: string): void
  isReadOnly(ref: Ref, path: string): boolean
}

/** Where a volume's files begin on its own disk: a folder that is there and empty on every disk. */
export const volumeTop = '/workspace'

const fixedFolder: Entry = {
  kind: 'folder',
  isFixed: true,
  mode: folderMode,
  modifiedAtMs: 0,
  bytes: 4_096,
  read: () => new Uint8Array(),
}

/** Disks as they are, without what is mounted there. */
export const plainDisks = (disks: Disks): MountedDisks => ({
  of: disks.of,
  write: disks.write,
  move(ref, path, to) {
    disks.move(ref, path, to)
    return true
  },
  remove: disks.remove,
  isReadOnly: () => false,
})

export function openMounted(disks: Disks, mountOf: (ref: Ref) => VolumeMount | null): MountedDisks {
  /** The disk that a path is on, and the path there. */
  function place(ref: Ref, path: string): { disk: Ref; path: string; mount: VolumeMount | null } {
    const mount = mountOf(ref)
    if (mount) {
      const link = `${linksFolder}/${mount.name}`
      const starts = [mountPath(mount.name), ...(disks.of(ref).find(link) ? [] : [link])]
      const start = starts.find(each => path === each || path.startsWith(`${each}/`))
      if (start) return { disk: mount.ref, path: volumeTop + path.slice(start.length), mount }
    }
    return { disk: ref, path, mount: null }
  }

  return {
    of: ref => ({
      find(path) {
        const at = place(ref, path)
        const isShown = at.mount ? at.path === volumeTop : path === volumesFolder && mountOf(ref) !== null
        return isShown ? fixedFolder : disks.of(at.disk).find(at.path)
      },
      names(folder) {
        const mount = mountOf(ref)
        const at = place(ref, folder)
        const own = disks.of(at.disk).names(at.path)
        if (!mount || at.mount) return own
        if (folder === '/') return [...own, volumesFolder.slice(1)]
        if (folder === volumesFolder) return [mount.name]
        return folder === linksFolder && !own.includes(mount.name) ? [...own, mount.name] : own
      },
    }),
    write(ref, path, content, nowMs) {
      const at = place(ref, path)
      return disks.write(at.disk, at.path, content, nowMs)
    },
    move(ref, path, to) {
      const [from, target] = [place(ref, path), place(ref, to)]
      if (from.disk !== target.disk) return false
      disks.move(from.disk, from.path, target.path)
      return true
    },
    remove(ref, path) {
      const at = place(ref, path)
      disks.remove(at.disk, at.path)
    },
    isReadOnly: (ref, path) => place(ref, path).mount?.readOnly ?? false,
  }
}

/**
 * What an engine on this host may give to disks: what is free where it keeps them, and what machines, volumes and snapshots
 * already take there. Only where all of them are on one file system can one number say it.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type DiskSpace, diskSpaceOf, diskUsage } from '../sandbox/disk-space.ts'
import type { Engine } from './engine.ts'
import { labels, type Names } from './names.ts'

/** Null: it can't be said. */
export function openDisk(
  { patient }: Engine,
  names: Names,
  dir: string,
  engineDir: string,
): DiskSpace | null {
  const there = statSync(engineDir, { throwIfNoEntry: false })
  if (there?.dev !== statSync(dir).dev) return null
  const folders = [join(dir, 'volumes'), join(dir, 'snapshots')]
  return diskSpaceOf(dir, async signal => {
    const [volumes, machines] = await Promise.all([
      diskUsage(folders, signal),
      // The engine goes through all that they have written.
      patient.listContainers({ all: true, size: true, filters: names.filter }),
    ])
    if (volumes === null) return null
    const sizes = machines.filter(({ Labels }) => Labels[labels.instance]).map(sizeOf)
    return sizes.reduce((sum, bytes) => sum + bytes, volumes)
  })
}

const sizeOf = (container: object): number => {
  const { SizeRw } = container as { readonly SizeRw?: number }
  return SizeRw ?? 0
}

/**
 * Volumes and snapshots on disk: the only memory that the store has. One exists from the rename that puts its finished
 * folder in place until the rename that throws it away; what was being made when somebody was killed is a scrap, which
 * the next call for it or the next sweep throws away.
 *
 *   volumes/<key>/     record.json   what it is
 *                      image         its file system, root's alone; or
 *                      data/         its files, where no image can be mounted
 *                      mnt/          where the image is mounted while a machine runs with it
 *   snapshots/<key>/   record.json
 *                      content.tar   the image or the files, without their holes
 *   machines/<id>/     volume.json   what its present run was given
 *                      volumes/      seen as /volumes: a folder for each mount
 */
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { VolumeMount } from '../../volume-mount.ts'
import type { VolumeSpec } from '../../volumes.ts'
import { makeFolder } from '../machine-store.ts'
import { refuseShortage } from '../processes.ts'
import { removeTree, withinMs } from '../trees.ts'

export type Kind = 'image' | 'folder'

export interface VolumeRecord {
  readonly spec: VolumeSpec
  readonly kind: Kind
  /** The host's uid of its tenant, held for as long as this exists; null: that of the control plane. */
  readonly uid: number | null
  /** What its files still belong to; absent: the same. */
  readonly filesUid?: number | null
}

/** Ready to be mounted in a machine. */
export interface Placed {
  readonly folder: string
  readonly record: VolumeRecord
}

export interface SnapshotRecord {
  readonly snapshotId: string
  readonly volumeId: string
  readonly kind: Kind
  /** Of its files. */
  readonly uid: number | null
  readonly sizeGb: number
  /** Null while it is being made. */
  readonly usedBytes: number | null
  readonly sha256: string
}

export type Shelf = 'volumes' | 'snapshots'
export type VolumeFiles = ReturnType<typeof openVolumeFiles>

const idPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
const scrapStart = '.new-'
const removeMs = 2_000

export function openVolumeFiles(dir: string) {
  const trash = join(dir, 'trash')
  makeFolder(join(dir, 'volumes'), 0o711)
  makeFolder(join(dir, 'snapshots'), 0o700)
  makeFolder(trash, 0o711)

  const folder = (shelf: Shelf, ref: string) => join(dir, shelf, ref)
  const scrap = (shelf: Shelf, ref: string) => join(dir, shelf, scrapStart + ref)
  const read = <T>(shelf: Shelf, ref: string): T | null =>
    idPattern.test(ref) ? readJson<T>(join(folder(shelf, ref), 'record.json')) : null
  const refs = (shelf: Shelf) => readdirSync(join(dir, shelf)).filter(name => idPattern.test(name))
  const scraps = (shelf: Shelf) =>
    readdirSync(join(dir, shelf)).flatMap(name =>
      name.startsWith(scrapStart) ? [name.slice(scrapStart.length)] : [],
    )

  function throwAway(path: string, ref: string): void {
    if (existsSync(path)) renameSync(path, join(trash, `volume-${ref}.${randomUUID()}`))
  }

  return {
    isRef: (ref: string): boolean => idPattern.test(ref),
    path: (shelf: Shelf, ref: string, name: string) => join(dir, shelf, ref, name),
    refs,
    scraps,
    volume: (ref: string) => read<VolumeRecord>('volumes', ref),
    snapshot: (ref: string) => read<SnapshotRecord>('snapshots', ref),
    /** Of one that is being made. */
    draft: <T>(shelf: Shelf, ref: string) => readJson<T>(join(scrap(shelf, ref), 'record.json')),

    rewrite(ref: string, record: VolumeRecord): void {
      replaceFile(join(folder('volumes', ref), 'record.json'), JSON.stringify(record))
    },

    /** Begins anew; answers the folder to fill. */
    begin(shelf: Shelf, ref: string, record: VolumeRecord | SnapshotRecord): string {
      throwAway(scrap(shelf, ref), ref)
      makeFolder(scrap(shelf, ref), shelf === 'volumes' ? 0o711 : 0o700)
      replaceFile(join(scrap(shelf, ref), 'record.json'), JSON.stringify(record))
      return scrap(shelf, ref)
    },

    /** It is whole: from now on it exists. */
    finish(shelf: Shelf, ref: string, record: VolumeRecord | SnapshotRecord): void {
      replaceFile(join(scrap(shelf, ref), 'record.json'), JSON.stringify(record))
      renameSync(scrap(shelf, ref), folder(shelf, ref))
    },

    discard(shelf: Shelf, ref: string): void {
      for (const path of [folder(shelf, ref), scrap(shelf, ref)]) throwAway(path, ref)
    },

    discardScrap: (shelf: Shelf, ref: string) => throwAway(scrap(shelf, ref), ref),

    /** Removes what was discarded; true when nothing is left. */
    async removed(ref: string): Promise<boolean> {
      const left = readdirSync(trash).filter(name => name.startsWith(`volume-${ref}.`))
      const all = Promise.all(left.map(name => removeTree(join(trash, name))))
      return withinMs(
        all.then(results => results.every(Boolean)),
        removeMs,
      )
    },

    /** Every uid that something of a volume's belongs to, those that are being made too. */
    uids: (): (number | null)[] => [
      ...refs('volumes').map(ref => read<VolumeRecord>('volumes', ref)?.uid ?? null),
      ...scraps('volumes').map(
        ref => readJson<VolumeRecord>(join(scrap('volumes', ref), 'record.json'))?.uid ?? null,
      ),
    ],

    /** What the machine's last start, or `attach` since then, gave it. */
    given: (machine: string) => readJson<VolumeMount>(join(dir, 'machines', machine, 'volume.json')),

    give(machine: string, mount: VolumeMount | null): void {
      const path = join(dir, 'machines', machine, 'volume.json')
      if (mount || existsSync(path)) replaceFile(path, JSON.stringify(mount))
    },

    /** The folders for a machine's mounts. */
    points: (machine: string) => join(dir, 'machines', machine, 'volumes'),
  }
}

/** There after a power cut. */
function replaceFile(path: string, text: string): void {
  const next = `${path}.new`
  writeFileSync(next, text, { mode: 0o600, flush: true })
  renameSync(next, path)
}

function readJson<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T
  } catch (error) {
    refuseShortage(error)
    return null
  }
}

/**
 * Volumes on this host. As root, where the host can mount them, each is a file system of its size in a file; else a plain
 * folder that nothing holds to a size. A machine gets one folder of it.
 *
 * The file system is mounted on the host from the first machine that runs with it until somebody finds that none does.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, done, failed, type Ref } from '../../driver.ts'
import { gibibyte, type VolumeSpec } from '../../volumes.ts'
import { makeOwned } from '../machine-disk.ts'
import { ownTrees } from '../trees.ts'
import {
  growImage,
  growMounted,
  isMounted,
  makeImage,
  mountImage,
  ownFolder,
  unmountImage,
  usedOfImage,
  usedOfMount,
} from './images.ts'
import { pack, sumOf, unpack } from './packing.ts'
import type { KeptSnapshot, VolumeKeep } from './store.ts'
import type { Kind, Placed, SnapshotRecord, VolumeFiles, VolumeRecord } from './volume-files.ts'

export interface HostKeepNeeds {
  readonly files: VolumeFiles
  /** Of those that are made here. */
  readonly kind: Kind
  readonly canGrowMounted: boolean
  /** The tenant's uid; null where all have ours. */
  readonly uidOf: (tenant: string) => Promise<number | null>
  readonly releaseUid: (uid: number | null) => void
}

const bytesOf = ({ sizeGb }: Pick<VolumeSpec, 'sizeGb'>) => sizeGb * gibibyte
const filesUidOf = ({ filesUid, uid }: VolumeRecord) => (filesUid === undefined ? uid : filesUid)

export function hostKeep({
  files,
  kind,
  canGrowMounted,
  ...needs
}: HostKeepNeeds): VolumeKeep<VolumeRecord, Placed> {
  const imageOf = (ref: Ref) => files.path('volumes', ref, 'image')
  const mountOf = (ref: Ref) => files.path('volumes', ref, 'mnt')

  async function pack_(key: Ref, snapshotId: string, ref: Ref, record: VolumeRecord): Promise<KeptSnapshot> {
    const { volumeId, sizeGb } = record.spec
    const uid = filesUidOf(record)
    const draft = { snapshotId, volumeId, kind: record.kind, uid, sizeGb, usedBytes: null, sha256: '' }
    const content = join(files.begin('snapshots', key, draft), 'content.tar')
    const sha256 = await pack(record.kind, files.path('volumes', ref, '.'), content)
    const made = { ...draft, usedBytes: statSync(content).size, sha256 }
    files.finish('snapshots', key, made)
    return made
  }

  async function unpack_(key: Ref, spec: VolumeSpec, ref: Ref): Promise<boolean> {
    const kept = files.snapshot(ref)
    if (!kept) throw new Error('its snapshot is gone')
    const content = files.path('snapshots', ref, 'content.tar')
    if ((await sumOf(content)) !== kept.sha256) return false
    // The files become the tenant's when a machine is given them.
    const uid = await needs.uidOf(spec.tenant)
    const record = { spec, kind: kept.kind, uid, ...(kept.uid === uid ? {} : { filesUid: kept.uid }) }
    const folder = files.begin('volumes', key, record)
    await unpack(kept.kind, content, folder)
    if (kept.kind === 'image' && spec.sizeGb > kept.sizeGb)
      await growImage(join(folder, 'image'), bytesOf(spec))
    files.finish('volumes', key, record)
    return true
  }

  return {
    growsInUse: kind === 'folder' || canGrowMounted,
    volume: async ref => files.volume(ref),
    draft: async ref => files.draft<VolumeRecord>('volumes', ref),
    snapshot: async ref => files.snapshot(ref),

    async list() {
      const snapshots = [...files.refs('snapshots'), ...files.scraps('snapshots')].flatMap(ref => {
        const found = files.snapshot(ref) ?? files.draft<SnapshotRecord>('snapshots', ref)
        return found ? [{ ref, ...found }] : []
      })
      return { volumes: [...files.refs('volumes'), ...files.scraps('volumes')], snapshots }
    },

    async make(ref, spec) {
      const record = { spec, kind, uid: await needs.uidOf(spec.tenant) }
      const folder = files.begin('volumes', ref, record)
      if (kind === 'image') await makeImage(folder, bytesOf(spec), record.uid)
      else makeOwned(join(folder, ownFolder), 0o755, record.uid)
      files.finish('volumes', ref, record)
    },

    async usedBytes(ref, record) {
      if (record.kind === 'folder') return null
      return isMounted(mountOf(ref)) ? usedOfMount(mountOf(ref)) : usedOfImage(imageOf(ref))
    },

    async enlarge(ref, record, sizeGb, isUsed) {
      const enlarge = isUsed ? growMounted : growImage
      if (record.kind === 'image') await enlarge(imageOf(ref), sizeGb * gibibyte)
      files.rewrite(ref, { ...record, spec: { ...record.spec, sizeGb } })
    },

    pack: pack_,
    unpack: unpack_,

    async discard(ref) {
      const uid = (files.volume(ref) ?? files.draft<VolumeRecord>('volumes', ref))?.uid ?? null
      files.discard('volumes', ref)
      needs.releaseUid(uid)
      return files.removed(ref)
    },

    async discardSnapshot(ref) {
      files.discard('snapshots', ref)
      return files.removed(ref)
    },

    async place(ref, record, long): Promise<Answer<Placed>> {
      if (record.kind === 'image' && kind !== 'image')
        return failed('transient', 'This host can’t mount the volume now.')
      const folder =
        record.kind === 'image' ? join(mountOf(ref), ownFolder) : files.path('volumes', ref, ownFolder)
      if (record.kind === 'image' && !isMounted(mountOf(ref))) {
        // It may have to be mended first, which takes as long as it takes.
        const mounted = await long('mount', async () => done(await mountImage(imageOf(ref), mountOf(ref))))
        if (mounted.kind !== 'done') return mounted
      }
      const { uid } = record
      if (uid === null || filesUidOf(record) === uid) return done({ folder, record })
      return long('own', async () => {
        if (!(await ownTrees([folder], uid))) throw new Error('its files could not be given to their tenant')
        const { filesUid: _, ...owned } = record
        files.rewrite(ref, owned)
        return done({ folder, record: owned })
      })
    },

    isPlaced: (ref, record) => record.kind === 'folder' || isMounted(mountOf(ref)),
    release: async (ref, record) => record.kind === 'folder' || unmountImage(imageOf(ref), mountOf(ref)),
  }
}

/**
 * The sandbox's volumes. As root, where the host can mount them, each is a file system of its size in a file; else a
 * plain folder that nothing holds to a size, and `capabilities` says so. A machine's view binds one folder of it.
 *
 * The file system is mounted on the host from the first machine that runs with it until somebody finds that none does.
 * Whoever is killed anywhere leaves a scrap or a mount that the next call for that volume takes away; the work of tools
 * that were begun goes on and is not used.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { refusedKey, refusedSize, refusedVolume } from '../../checks.ts'
import { type Answer, done, failed, notYet, type Ref } from '../../driver.ts'
import {
  gibibyte,
  type ListedSnapshot,
  type ListedVolume,
  type Snapshot,
  type SnapshotSpec,
  type VolumeSeen,
  type VolumeSpec,
  type VolumeStore,
} from '../../volumes.ts'
import { ownTrees, withinMs } from '../trees.ts'
import { makeOwned } from '../machine-disk.ts'
import { createTurns } from '../turns.ts'
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
import type { VolumeClerks } from './files.ts'
import { createJobs } from './jobs.ts'
import { pack, sumOf, unpack } from './packing.ts'
import type { Kind, Placed, SnapshotRecord, VolumeFiles, VolumeRecord } from './volume-files.ts'

export interface VolumeNeeds {
  readonly files: VolumeFiles
  /** Null: images can't be mounted here. */
  readonly kind: Kind
  readonly canGrowMounted: boolean
  /** The tenant's uid; null where all have ours. */
  readonly uidOf: (tenant: string) => Promise<number | null>
  readonly releaseUid: (uid: number | null) => void
  /** The machine that runs with it, or is about to. */
  readonly machineWith: (ref: Ref) => Ref | null
  readonly clerks: VolumeClerks
  readonly log: (message: string) => void
}

export type OwnVolumes = ReturnType<typeof createVolumes>

const retryMs = 250
const patienceMs = 2_000
const lost = () => failed('lost', 'The volume is gone.')
const lostSnapshot = () => failed('lost', 'The snapshot is gone.')
const inUse = () => failed('rejected', 'The volume is attached to an instance that runs.')
const gone: VolumeSeen = { state: 'gone', sizeBytes: 0, usedBytes: null, machine: null }

type Calls = Omit<VolumeStore, 'capabilities' | 'attach' | 'detach'>

export function createVolumes({ files, kind, clerks, log, ...needs }: VolumeNeeds) {
  const inTurn = createTurns()
  const jobs = createJobs(unforeseen)
  /** Snapshots that are being restored, and how often. */
  const reading = new Map<Ref, number>()

  function unforeseen(what: string, error: unknown): Answer<never> {
    log(`volume ${what.slice(0, 200)}: ${String(error)}`)
    return failed('transient', 'The host can’t do this with the volume right now.')
  }

  const imageOf = (ref: Ref) => files.path('volumes', ref, 'image')
  const mountOf = (ref: Ref) => files.path('volumes', ref, 'mnt')
  const bytesOf = ({ sizeGb }: Pick<VolumeSpec, 'sizeGb'>) => sizeGb * gibibyte

  /** One call at a time for each volume. */
  const inOrder = <T>(ref: Ref, act: () => Promise<Answer<T>>): Promise<Answer<T>> =>
    inTurn(ref, act).catch((error: unknown) => unforeseen(ref, error))

  /** Acts on one that exists, while nothing long goes on with it. */
  const withVolume = <T>(
    ref: Ref,
    name: string,
    act: (record: VolumeRecord) => Promise<Answer<T>>,
  ): Promise<Answer<T>> =>
    inOrder(ref, async () => {
      const record = files.volume(ref)
      if (!record) return lost()
      return jobs.isBusy(ref) ? jobs.do(ref, name, () => act(record)) : act(record)
    })

  /**
   * False while a machine runs with it, has only just ended, or what it wrote is still on its way to the disk. Whoever
   * is in the middle of a file of it is cut off: that is for the caller to look at first (`clerks.inUse`).
   */
  async function isFree(ref: Ref, record: VolumeRecord): Promise<boolean> {
    if (!(await clerks.end(ref))) return false
    return record.kind === 'folder' || withinMs(unmountImage(imageOf(ref), mountOf(ref)), patienceMs)
  }

  /** The same, which leaves whoever is in the middle of a file in peace. */
  const isIdle = async (ref: Ref, record: VolumeRecord): Promise<boolean> =>
    !clerks.inUse(ref) && isFree(ref, record)

  async function make(key: Ref, spec: VolumeSpec): Promise<Answer<Ref>> {
    const record = { spec, kind, uid: await needs.uidOf(spec.tenant) }
    const folder = files.begin('volumes', key, record)
    if (kind === 'image') await makeImage(folder, bytesOf(spec), record.uid)
    else makeOwned(join(folder, ownFolder), 0o755, record.uid)
    files.finish('volumes', key, record)
    return done(key)
  }

  const create = (spec: VolumeSpec, key: string): Promise<Answer<Ref>> =>
    inOrder(key, async () => (files.volume(key) ? done(key) : jobs.do(key, 'create', () => make(key, spec))))

  async function seen(ref: Ref): Promise<VolumeSeen> {
    const record = files.volume(ref)
    const draft = record ? null : files.isRef(ref) && files.draft<VolumeRecord>('volumes', ref)
    if (draft) return { ...gone, state: 'creating', sizeBytes: bytesOf(draft.spec) }
    if (!record) return gone
    const usedBytes = await usedOf(ref, record)
    return { state: 'available', sizeBytes: bytesOf(record.spec), usedBytes, machine: needs.machineWith(ref) }
  }

  const observe = async (ref: Ref): Promise<Answer<VolumeSeen>> => done(await seen(ref))

  async function usedOf(ref: Ref, record: VolumeRecord): Promise<number | null> {
    if (record.kind === 'folder') return null
    try {
      return await (isMounted(mountOf(ref)) ? usedOfMount(mountOf(ref)) : usedOfImage(imageOf(ref)))
    } catch (error) {
      log(`volume ${ref} could not be measured: ${String(error)}`)
      return null
    }
  }

  const grow = (ref: Ref, sizeGb: number): Promise<Answer> =>
    withVolume(ref, `grow to ${sizeGb}`, async record => {
      if (sizeGb === record.spec.sizeGb) return done()
      if (sizeGb < record.spec.sizeGb) return failed('rejected', 'A volume can’t be made smaller.')
      const isUsed = needs.machineWith(ref) !== null
      if (isUsed && record.kind === 'image' && !needs.canGrowMounted)
        return failed(
          'rejected',
          'Here a volume can’t grow while an instance runs with it. Stop the instance first.',
        )
      if (!isUsed && !(await isIdle(ref, record))) return notYet(retryMs)
      return jobs.do(ref, `grow to ${sizeGb}`, async () => {
        const enlarge = isUsed ? growMounted : growImage
        if (record.kind === 'image') await enlarge(imageOf(ref), sizeGb * gibibyte)
        files.rewrite(ref, { ...record, spec: { ...record.spec, sizeGb } })
        return done()
      })
    })

  async function snapshot(ref: Ref, { snapshotId }: SnapshotSpec, key: Ref): Promise<Answer<Snapshot>> {
    const kept = files.snapshot(key)
    if (kept) return done(snapshotOf(key, kept))
    return withVolume(ref, `snapshot ${key}`, async record => {
      if (needs.machineWith(ref) !== null)
        return failed(
          'rejected',
          'Here a snapshot can’t be taken while an instance runs with the volume. Stop the instance first.',
        )
      if (!(await isIdle(ref, record))) return notYet(retryMs)
      const { volumeId, sizeGb } = record.spec
      const uid = filesUidOf(record)
      const draft = { snapshotId, volumeId, kind: record.kind, uid, sizeGb, usedBytes: null, sha256: '' }
      return jobs.do(ref, `snapshot ${key}`, async () => {
        const content = join(files.begin('snapshots', key, draft), 'content.tar')
        const sha256 = await pack(record.kind, files.path('volumes', ref, '.'), content)
        const made = { ...draft, usedBytes: statSync(content).size, sha256 }
        files.finish('snapshots', key, made)
        return done(snapshotOf(key, made))
      })
    })
  }

  const restore = (ref: Ref, spec: VolumeSpec, key: Ref): Promise<Answer<Ref>> =>
    inOrder(key, async () => {
      if (files.volume(key)) return done(key)
      const kept = files.snapshot(ref)
      if (!kept) return lostSnapshot()
      if (spec.sizeGb < kept.sizeGb)
        return failed('rejected', `This snapshot needs a volume of at least ${kept.sizeGb} GB.`)
      return jobs.do(key, `restore ${ref}`, () => readFrom(ref, () => fill(key, spec, ref, kept)))
    })

  async function readFrom<T>(ref: Ref, act: () => Promise<T>): Promise<T> {
    reading.set(ref, (reading.get(ref) ?? 0) + 1)
    try {
      return await act()
    } finally {
      const left = reading.get(ref)! - 1
      if (left > 0) reading.set(ref, left)
      else reading.delete(ref)
    }
  }

  async function fill(key: Ref, spec: VolumeSpec, ref: Ref, kept: SnapshotRecord): Promise<Answer<Ref>> {
    const content = files.path('snapshots', ref, 'content.tar')
    if ((await sumOf(content)) !== kept.sha256) {
      log(`snapshot ${ref}: what is stored of it is not what was stored`)
      return failed('rejected', 'What is stored of this snapshot is damaged.')
    }
    // The files become the tenant's when a machine is given them.
    const uid = await needs.uidOf(spec.tenant)
    const record = { spec, kind: kept.kind, uid, ...(kept.uid === uid ? {} : { filesUid: kept.uid }) }
    const folder = files.begin('volumes', key, record)
    await unpack(kept.kind, content, folder)
    if (kept.kind === 'image' && spec.sizeGb > kept.sizeGb)
      await growImage(join(folder, 'image'), bytesOf(spec))
    files.finish('volumes', key, record)
    return done(key)
  }

  const destroy = (ref: Ref): Promise<Answer> =>
    inOrder(ref, async () => {
      if (!files.isRef(ref)) return done()
      if (jobs.isBusy(ref)) return notYet(retryMs)
      const record = files.volume(ref)
      if (record && needs.machineWith(ref) !== null) return inUse()
      if (record && !(await isFree(ref, record))) return notYet(retryMs)
      const uid = record?.uid ?? files.draft<VolumeRecord>('volumes', ref)?.uid ?? null
      files.discard('volumes', ref)
      needs.releaseUid(uid)
      return (await files.removed(ref)) ? done() : notYet(retryMs)
    })

  const destroySnapshot = (ref: Ref): Promise<Answer> =>
    inOrder(ref, async () => {
      if (!files.isRef(ref)) return done()
      if (reading.has(ref)) return notYet(retryMs)
      files.discard('snapshots', ref)
      return (await files.removed(ref)) ? done() : notYet(retryMs)
    })

  async function list() {
    const volumes: ListedVolume[] = []
    for (const ref of [...files.refs('volumes'), ...files.scraps('volumes')]) {
      const found = files.volume(ref) ?? files.draft<VolumeRecord>('volumes', ref)
      if (found) volumes.push({ ref, volumeId: found.spec.volumeId, ...(await seen(ref)) })
    }
    const snapshots: ListedSnapshot[] = []
    for (const ref of [...files.refs('snapshots'), ...files.scraps('snapshots')]) {
      const found = files.snapshot(ref) ?? files.draft<SnapshotRecord>('snapshots', ref)
      if (!found) continue
      const { snapshotId, volumeId, usedBytes } = found
      const state = usedBytes === null ? ('creating' as const) : ('available' as const)
      snapshots.push({ ref, snapshotId, volumeId, state, usedBytes })
    }
    return done({ volumes, snapshots })
  }

  /** Mounts it where that has to be, and sees to it that its files are its tenant's. */
  const place = (ref: Ref): Promise<Answer<Placed>> => inOrder(ref, () => placeNow(ref))

  async function placeNow(ref: Ref): Promise<Answer<Placed>> {
    const record = files.volume(ref)
    if (!record) return failed('rejected', 'The volume is gone.')
    if (jobs.isBusy(ref)) return notYet(retryMs)
    if (record.kind === 'image' && kind !== 'image')
      return failed('transient', 'This host can’t mount the volume now.')
    const folder =
      record.kind === 'image' ? join(mountOf(ref), ownFolder) : files.path('volumes', ref, ownFolder)
    if (record.kind === 'image' && !isMounted(mountOf(ref))) {
      // It may have to be mended first, which takes as long as it takes.
      const mounted = await jobs.do(ref, 'mount', async () =>
        done(await mountImage(imageOf(ref), mountOf(ref))),
      )
      if (mounted.kind !== 'done') return mounted
    }
    const { uid } = record
    if (uid === null || filesUidOf(record) === uid) return done({ folder, record })
    return jobs.do(ref, 'own', async () => {
      if (!(await ownTrees([folder], uid))) throw new Error('its files could not be given to their tenant')
      const { filesUid: _, ...owned } = record
      files.rewrite(ref, owned)
      return done({ folder, record: owned })
    })
  }

  /** Acts on one that is in its place, and nobody takes it from there meanwhile. */
  const serve = (ref: Ref, act: (placed: Placed) => Promise<Answer>): Promise<Answer> =>
    inOrder(ref, async () => {
      const placed = await placeNow(ref)
      return placed.kind === 'done' ? act(placed.value) : placed
    })

  /** Takes back the mount of one that no machine runs with, and in whose files nobody is. */
  const settle = (ref: Ref): Promise<Answer> =>
    inOrder(ref, async () => {
      const record = files.volume(ref)
      const isPlaced = record?.kind === 'folder' || isMounted(mountOf(ref))
      if (record && isPlaced && !jobs.isBusy(ref) && needs.machineWith(ref) === null)
        await isIdle(ref, record)
      return done()
    })
  clerks.onEnd(ref => void settle(ref))

  const calls: Calls = {
    create: async (spec, key) => refusedVolume(spec, key) ?? create(spec, key),
    observe: ref => observe(ref).catch((error: unknown) => unforeseen(ref, error)),
    grow: async (ref, sizeGb) => refusedSize(sizeGb) ?? grow(ref, sizeGb),
    snapshot: async (ref, spec, key) =>
      refusedKey(key) ?? refusedKey(spec.snapshotId) ?? snapshot(ref, spec, key),
    restore: async (ref, spec, key) => refusedVolume(spec, key) ?? restore(ref, spec, key),
    destroy,
    destroySnapshot,
    files: clerks.calls(serve, jobs.isBusy),
    list: () => list().catch((error: unknown) => unforeseen('all', error)),
  }

  async function settleAll(): Promise<void> {
    // What takes longer goes on, and is begun anew by the next call for it.
    await withinMs(
      jobs.settled().then(() => true),
      patienceMs,
    )
    await Promise.all(files.refs('volumes').map(settle))
  }

  return {
    calls,
    place,
    settle,
    settleAll,
    async close(): Promise<void> {
      await clerks.close()
      await settleAll()
    },
  }
}

const filesUidOf = ({ filesUid, uid }: VolumeRecord) => (filesUid === undefined ? uid : filesUid)

const snapshotOf = (ref: Ref, { usedBytes, sizeGb, sha256 }: SnapshotRecord): Snapshot => ({
  ref,
  usedBytes: usedBytes ?? 0,
  sizeGb,
  sha256,
})

/**
 * What every store of volumes does that has a place for their content: the order of calls, their refusals, and what waits
 * for what. The content itself is a keep's affair (`VolumeKeep`): files of this host (`host-keep.ts`), or volumes of a
 * container engine.
 *
 * Whoever is killed anywhere leaves something half made or a mount that the next call for that volume takes away; the
 * work of tools that were begun goes on and is not used.
 */
import { refusedKey, refusedSize, refusedVolume } from '../../checks.ts'
import { type Answer, done, failed, type MachineFiles, notYet, type Ref } from '../../driver.ts'
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
import { withinMs } from '../trees.ts'
import { createTurns } from '../turns.ts'
import { createJobs } from './jobs.ts'

export interface KeptVolume {
  readonly spec: VolumeSpec
}

export interface KeptSnapshot {
  readonly snapshotId: string
  readonly volumeId: string
  readonly sizeGb: number
  /** Null while it is being made. */
  readonly usedBytes: number | null
  readonly sha256: string
}

/** Begun by this name it goes on, however long it takes; "not yet" until it is done. */
export type Long = <T>(name: string, act: () => Promise<Answer<T>>) => Promise<Answer<T>>

/** Where content is. No call of it comes beside another one for the same volume, but `volume`, `drafts` and `usedBytes`. */
export interface VolumeKeep<Kept extends KeptVolume, Placed> {
  readonly growsInUse: boolean
  /** One that is whole. */
  volume(ref: Ref): Promise<Kept | null>
  /** One that is being made. */
  draft(ref: Ref): Promise<KeptVolume | null>
  snapshot(ref: Ref): Promise<KeptSnapshot | null>
  list(): Promise<{
    readonly volumes: readonly Ref[]
    readonly snapshots: readonly (KeptSnapshot & { readonly ref: Ref })[]
  }>
  make(ref: Ref, spec: VolumeSpec): Promise<void>
  /** Null: it is not known. */
  usedBytes(ref: Ref, kept: Kept): Promise<number | null>
  enlarge(ref: Ref, kept: Kept, sizeGb: number, isUsed: boolean): Promise<void>
  pack(key: Ref, snapshotId: string, ref: Ref, kept: Kept): Promise<KeptSnapshot>
  /** False: what is stored is not what was stored, and nothing was made. */
  unpack(key: Ref, spec: VolumeSpec, ref: Ref, kept: KeptSnapshot): Promise<boolean>
  /** True when nothing is left. */
  discard(ref: Ref): Promise<boolean>
  discardSnapshot(ref: Ref): Promise<boolean>
  /** Readies it to be mounted in a machine. */
  place(ref: Ref, kept: Kept, long: Long): Promise<Answer<Placed>>
  isPlaced(ref: Ref, kept: Kept): boolean
  /** False: it is not to be had yet for whoever wants it alone. */
  release(ref: Ref, kept: Kept): Promise<boolean>
}

/** Who answers for the files of volumes. */
export interface FileKeepers<Placed> {
  /** Somebody is in the middle of a file of it. */
  inUse(ref: Ref): boolean | Promise<boolean>
  /** True when nobody answers for it any more. */
  end(ref: Ref): Promise<boolean>
  onEnd(tell: (ref: Ref) => void): void
  calls(serve: Serve<Placed>, isBusy: (ref: Ref) => boolean): (ref: Ref) => MachineFiles
  close(): Promise<void>
}

/** Acts on one that is in its place, and nobody takes it from there meanwhile. */
export type Serve<Placed> = (ref: Ref, act: (placed: Placed) => Promise<Answer>) => Promise<Answer>

export interface VolumeNeeds<Kept extends KeptVolume, Placed> {
  readonly keep: VolumeKeep<Kept, Placed>
  /** The machine that runs with it, or is about to. */
  readonly machineWith: (ref: Ref) => Promise<Ref | null>
  readonly files: FileKeepers<Placed>
  readonly log: (message: string) => void
}

export type Volumes<Placed> = ReturnType<typeof createVolumes<KeptVolume, Placed>>

const retryMs = 250
const patienceMs = 2_000
const lost = () => failed('lost', 'The volume is gone.')
const lostSnapshot = () => failed('lost', 'The snapshot is gone.')
const inUse = () => failed('rejected', 'The volume is attached to an instance that runs.')
const gone: VolumeSeen = { state: 'gone', sizeBytes: 0, usedBytes: null, machine: null }

type Calls = Omit<VolumeStore, 'capabilities' | 'attach' | 'detach'>

export function createVolumes<Kept extends KeptVolume, Placed>({
  keep,
  files,
  log,
  machineWith,
}: VolumeNeeds<Kept, Placed>) {
  const inTurn = createTurns()
  const jobs = createJobs(unforeseen)
  /** Snapshots that are being restored, and how often. */
  const reading = new Map<Ref, number>()

  function unforeseen(what: string, error: unknown): Answer<never> {
    log(`volume ${what.slice(0, 200)}: ${String(error)}`)
    return failed('transient', 'The host can’t do this with the volume right now.')
  }

  const isRef = (ref: Ref): boolean => refusedKey(ref) === null
  const volumeOf = async (ref: Ref): Promise<Kept | null> => (isRef(ref) ? keep.volume(ref) : null)
  const bytesOf = ({ sizeGb }: Pick<VolumeSpec, 'sizeGb'>) => sizeGb * gibibyte

  /** One call at a time for each volume. */
  const inOrder = <T>(ref: Ref, act: () => Promise<Answer<T>>): Promise<Answer<T>> =>
    inTurn(ref, act).catch((error: unknown) => unforeseen(ref, error))

  /** Acts on one that exists, while nothing long goes on with it. */
  const withVolume = <T>(
    ref: Ref,
    name: string,
    act: (kept: Kept) => Promise<Answer<T>>,
  ): Promise<Answer<T>> =>
    inOrder(ref, async () => {
      const kept = await volumeOf(ref)
      if (!kept) return lost()
      return jobs.isBusy(ref) ? jobs.do(ref, name, () => act(kept)) : act(kept)
    })

  /**
   * False while a machine runs with it, has only just ended, or what it wrote is still on its way to the disk. Whoever
   * is in the middle of a file of it is cut off: that is for the caller to look at first (`files.inUse`).
   */
  const isFree = async (ref: Ref, kept: Kept): Promise<boolean> =>
    (await files.end(ref)) && withinMs(keep.release(ref, kept), patienceMs)

  /** The same, which leaves whoever is in the middle of a file in peace. */
  const isIdle = async (ref: Ref, kept: Kept): Promise<boolean> =>
    !(await files.inUse(ref)) && isFree(ref, kept)

  const create = (spec: VolumeSpec, key: string): Promise<Answer<Ref>> =>
    inOrder(key, async () =>
      (await keep.volume(key))
        ? done(key)
        : jobs.do(key, 'create', async () => {
            await keep.make(key, spec)
            return done(key)
          }),
    )

  async function seen(ref: Ref): Promise<VolumeSeen> {
    const kept = await volumeOf(ref)
    if (kept) {
      const usedBytes = await usedOf(ref, kept)
      return { state: 'available', sizeBytes: bytesOf(kept.spec), usedBytes, machine: await machineWith(ref) }
    }
    const draft = isRef(ref) && (await keep.draft(ref))
    return draft ? { ...gone, state: 'creating', sizeBytes: bytesOf(draft.spec) } : gone
  }

  const observe = async (ref: Ref): Promise<Answer<VolumeSeen>> => done(await seen(ref))

  const usedOf = (ref: Ref, kept: Kept): Promise<number | null> =>
    keep.usedBytes(ref, kept).catch((error: unknown) => {
      log(`volume ${ref} could not be measured: ${String(error)}`)
      return null
    })

  const grow = (ref: Ref, sizeGb: number): Promise<Answer> =>
    withVolume(ref, `grow to ${sizeGb}`, async kept => {
      if (sizeGb === kept.spec.sizeGb) return done()
      if (sizeGb < kept.spec.sizeGb) return failed('rejected', 'A volume can’t be made smaller.')
      const isUsed = (await machineWith(ref)) !== null
      if (isUsed && !keep.growsInUse)
        return failed(
          'rejected',
          'Here a volume can’t grow while an instance runs with it. Stop the instance first.',
        )
      if (!isUsed && !(await isIdle(ref, kept))) return notYet(retryMs)
      return jobs.do(ref, `grow to ${sizeGb}`, async () => {
        await keep.enlarge(ref, kept, sizeGb, isUsed)
        return done()
      })
    })

  async function snapshot(ref: Ref, { snapshotId }: SnapshotSpec, key: Ref): Promise<Answer<Snapshot>> {
    const known = await keep.snapshot(key)
    if (known) return done(snapshotOf(key, known))
    return withVolume(ref, `snapshot ${key}`, async kept => {
      if ((await machineWith(ref)) !== null)
        return failed(
          'rejected',
          'Here a snapshot can’t be taken while an instance runs with the volume. Stop the instance first.',
        )
      if (!(await isIdle(ref, kept))) return notYet(retryMs)
      return jobs.do(ref, `snapshot ${key}`, async () =>
        done(snapshotOf(key, await keep.pack(key, snapshotId, ref, kept))),
      )
    })
  }

  const restore = (ref: Ref, spec: VolumeSpec, key: Ref): Promise<Answer<Ref>> =>
    inOrder(key, async () => {
      if (await keep.volume(key)) return done(key)
      const kept = isRef(ref) ? await keep.snapshot(ref) : null
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

  async function fill(key: Ref, spec: VolumeSpec, ref: Ref, kept: KeptSnapshot): Promise<Answer<Ref>> {
    if (await keep.unpack(key, spec, ref, kept)) return done(key)
    log(`snapshot ${ref}: what is stored of it is not what was stored`)
    return failed('rejected', 'What is stored of this snapshot is damaged.')
  }

  const destroy = (ref: Ref): Promise<Answer> =>
    inOrder(ref, async () => {
      if (!isRef(ref)) return done()
      if (jobs.isBusy(ref)) return notYet(retryMs)
      const kept = await keep.volume(ref)
      if (kept && (await machineWith(ref)) !== null) return inUse()
      if (kept && !(await isFree(ref, kept))) return notYet(retryMs)
      return (await keep.discard(ref)) ? done() : notYet(retryMs)
    })

  const destroySnapshot = (ref: Ref): Promise<Answer> =>
    inOrder(ref, async () => {
      if (!isRef(ref)) return done()
      if (reading.has(ref)) return notYet(retryMs)
      return (await keep.discardSnapshot(ref)) ? done() : notYet(retryMs)
    })

  async function list() {
    const found = await keep.list()
    const volumes: ListedVolume[] = []
    for (const ref of found.volumes) {
      const kept = (await keep.volume(ref)) ?? (await keep.draft(ref))
      if (kept) volumes.push({ ref, volumeId: kept.spec.volumeId, ...(await seen(ref)) })
    }
    const snapshots = found.snapshots.map(({ ref, snapshotId, volumeId, usedBytes }): ListedSnapshot => ({
      ref,
      snapshotId,
      volumeId,
      state: usedBytes === null ? 'creating' : 'available',
      usedBytes,
    }))
    return done({ volumes, snapshots })
  }

  /** Mounts it where that has to be, and sees to it that its files are its tenant's. */
  const place = (ref: Ref): Promise<Answer<Placed>> => inOrder(ref, () => placeNow(ref))

  async function placeNow(ref: Ref): Promise<Answer<Placed>> {
    const kept = await volumeOf(ref)
    if (!kept) return failed('rejected', 'The volume is gone.')
    if (jobs.isBusy(ref)) return notYet(retryMs)
    return keep.place(ref, kept, (name, act) => jobs.do(ref, name, act))
  }

  const serve: Serve<Placed> = (ref, act) =>
    inOrder(ref, async () => {
      const placed = await placeNow(ref)
      return placed.kind === 'done' ? act(placed.value) : placed
    })

  /** Takes back the mount of one that no machine runs with, and in whose files nobody is. */
  const settle = (ref: Ref): Promise<Answer> =>
    inOrder(ref, async () => {
      const kept = await volumeOf(ref)
      if (kept && keep.isPlaced(ref, kept) && !jobs.isBusy(ref) && (await machineWith(ref)) === null)
        await isIdle(ref, kept)
      return done()
    })
  files.onEnd(ref => void settle(ref))

  const calls: Calls = {
    create: async (spec, key) => refusedVolume(spec, key) ?? create(spec, key),
    observe: ref => observe(ref).catch((error: unknown) => unforeseen(ref, error)),
    grow: async (ref, sizeGb) => refusedSize(sizeGb) ?? grow(ref, sizeGb),
    snapshot: async (ref, spec, key) =>
      refusedKey(key) ??
      refusedKey(spec.snapshotId) ??
      snapshot(ref, spec, key).catch((error: unknown) => unforeseen(ref, error)),
    restore: async (ref, spec, key) => refusedVolume(spec, key) ?? restore(ref, spec, key),
    destroy,
    destroySnapshot,
    files: files.calls(serve, jobs.isBusy),
    list: () => list().catch((error: unknown) => unforeseen('all', error)),
  }

  async function settleAll(): Promise<void> {
    // What takes longer goes on, and is begun anew by the next call for it.
    await withinMs(
      jobs.settled().then(() => true),
      patienceMs,
    )
    await Promise.all((await keep.list()).volumes.map(settle))
  }

  return {
    calls,
    place,
    serve,
    settle,
    settleAll,
    async close(): Promise<void> {
      await files.close()
      await settleAll()
    },
  }
}

const snapshotOf = (ref: Ref, { usedBytes, sizeGb, sha256 }: KeptSnapshot): Snapshot => ({
  ref,
  usedBytes: usedBytes ?? 0,
  sizeGb,
  sha256,
})

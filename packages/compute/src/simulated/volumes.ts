/**
 * Volumes without disks: a new one is available after 30 s, as the product promises it, and whoever waits for one asks
 * every 5 s. What is written to one lies with what is written to machines, and is bounded as that is; no size is held
 * to. A snapshot copies it at once. With a folder all of it survives a killed process.
 */
import { createHash } from 'node:crypto'
import { refusedKey, refusedSize, refusedVolume } from '../checks.ts'
import { type Answer, done, failed, notYet, type Ref } from '../driver.ts'
import { filesBelow } from '../files-below.ts'
import type { VolumeMount } from '../volume-mount.ts'
import {
  gibibyte,
  type Snapshot,
  type SnapshotSpec,
  type VolumeSeen,
  type VolumeSpec,
  type VolumeStore,
} from '../volumes.ts'
import type { Disks } from './disks.ts'
import type { MachineFacts } from './facts.ts'
import { createFileCalls } from './file-calls.ts'
import { plainDisks, volumeTop } from './mounted-disks.ts'
import { openRecords } from './records.ts'

export const volumeMs = 30_000
export const volumeCheckMs = 5_000

interface Volume {
  readonly kind: 'volume'
  readonly spec: VolumeSpec
  readonly availableAtMs: number
  /** Of this snapshot; until it is filled there is nothing to see of it. Null: it was made empty, or is filled. */
  readonly fillFrom: Ref | null
}

interface Kept extends Omit<Snapshot, 'ref'> {
  readonly kind: 'snapshot'
  readonly snapshotId: string
  readonly volumeId: string
}

export interface VolumeNeeds {
  readonly dir: string | null
  readonly now: () => number
  readonly disks: () => Disks
  /** The machine that runs with it. */
  readonly machineWith: (ref: Ref) => Ref | null
  readonly attach: (machine: Ref, mount: VolumeMount) => Answer
  readonly detach: (machine: Ref) => Answer
}

export interface SimulatedVolumes extends VolumeStore {
  has(ref: Ref): boolean
  /** Whether a machine of this tenant can be given it now. */
  usable(mount: VolumeMount, tenant: string): Answer
}

const refOf = (kind: 'vol' | 'snap', key: string): Ref =>
  `${kind}-${createHash('sha256').update(key).digest('hex').slice(0, 32)}`
const lost = () => failed('lost', 'The volume is gone.')
const lostSnapshot = () => failed('lost', 'The snapshot is gone.')
const inUse = () => failed('rejected', 'The volume is attached to an instance that runs.')
const noRoom = () => failed('no_capacity', 'There is no room for another copy here.')
const gone: VolumeSeen = { state: 'gone', sizeBytes: 0, usedBytes: null, machine: null }

export function simulatedVolumes({ dir, now, disks, ...needs }: VolumeNeeds): SimulatedVolumes {
  const records = openRecords(dir, isRecord)

  function volumeAt(ref: Ref): Volume | null {
    const found = records.get(ref)
    return found?.kind === 'volume' ? found : null
  }

  function snapshotAt(ref: Ref): Kept | null {
    const found = records.get(ref)
    return found?.kind === 'snapshot' ? found : null
  }

  const isReady = ({ availableAtMs }: Volume) => availableAtMs <= now()

  function seen(ref: Ref): VolumeSeen {
    const volume = volumeAt(ref)
    if (!volume) return gone
    return {
      state: isReady(volume) ? 'available' : 'creating',
      sizeBytes: volume.spec.sizeGb * gibibyte,
      usedBytes: disks().usedBytes(ref),
      machine: needs.machineWith(ref),
    }
  }

  function make(ref: Ref, spec: VolumeSpec, fillFrom: Ref | null): Answer<Ref> {
    if (!volumeAt(ref)) records.put(ref, { kind: 'volume', spec, availableAtMs: now() + volumeMs, fillFrom })
    const volume = volumeAt(ref)!
    if (volume.fillFrom !== null) {
      // Whoever was killed half way begins again.
      disks().removeAll(ref)
      if (!disks().copy(volume.fillFrom, ref)) {
        drop(ref)
        return noRoom()
      }
      records.put(ref, { ...volume, fillFrom: null })
    }
    const leftMs = volume.availableAtMs - now()
    return leftMs <= 0 ? done(ref) : notYet(Math.min(volumeCheckMs, leftMs))
  }

  /** The record goes last: whoever is killed before finds it, and what has no record is swept. */
  function drop(ref: Ref): void {
    disks().removeAll(ref)
    records.drop(ref)
  }

  function snapshot(ref: Ref, spec: SnapshotSpec, key: string): Answer<Snapshot> {
    const at = refOf('snap', key)
    const kept = snapshotAt(at)
    if (kept) return done(snapshotOf(at, kept))
    const volume = volumeAt(ref)
    if (!volume) return lost()
    if (!isReady(volume)) return failed('rejected', 'The volume is not there yet.')
    disks().removeAll(at)
    if (!disks().copy(ref, at)) return noRoom()
    const made: Kept = {
      kind: 'snapshot',
      snapshotId: spec.snapshotId,
      volumeId: volume.spec.volumeId,
      sizeGb: volume.spec.sizeGb,
      usedBytes: disks().usedBytes(at),
      sha256: disks().checksum(at),
    }
    records.put(at, made)
    return done(snapshotOf(at, made))
  }

  function restore(ref: Ref, spec: VolumeSpec, key: string): Answer<Ref> {
    const at = refOf('vol', key)
    const known = volumeAt(at)
    if (known?.fillFrom === null) return make(at, spec, null)
    const kept = snapshotAt(ref)
    if (!kept) return lostSnapshot()
    if (spec.sizeGb < kept.sizeGb)
      return failed('rejected', `This snapshot needs a volume of at least ${kept.sizeGb} GB.`)
    if (disks().checksum(ref) !== kept.sha256)
      return failed('rejected', 'What is stored of this snapshot is damaged.')
    return make(at, spec, ref)
  }

  function grow(ref: Ref, sizeGb: number): Answer {
    const volume = volumeAt(ref)
    if (!volume) return lost()
    if (sizeGb < volume.spec.sizeGb) return failed('rejected', 'A volume can’t be made smaller.')
    if (!isReady(volume)) return failed('rejected', 'The volume is not there yet.')
    if (sizeGb > volume.spec.sizeGb) records.put(ref, { ...volume, spec: { ...volume.spec, sizeGb } })
    return done()
  }

  function usable(mount: VolumeMount, tenant: string): Answer {
    const volume = volumeAt(mount.ref)
    if (!volume) return failed('rejected', 'The volume is gone.')
    if (volume.spec.tenant !== tenant) return failed('rejected', 'The volume is somebody else’s.')
    if (!isReady(volume)) return failed('transient', 'The volume is not there yet.')
    return needs.machineWith(mount.ref) === null ? done() : inUse()
  }

  let calls: ReturnType<typeof createFileCalls> | null = null
  const filesOf = (ref: Ref) => {
    calls ??= createFileCalls({ disks: plainDisks(disks()), now, factsOf, answer: async (_, work) => work() })
    return filesBelow(calls(ref), volumeTop)
  }

  function factsOf(ref: Ref): Answer<MachineFacts> {
    const volume = volumeAt(ref)
    if (!volume) return lost()
    return isReady(volume) ? done({ ...noMachine, written: disks().of(ref) }) : notYet(volumeCheckMs)
  }

  return {
    capabilities: {
      enforcesSize: false,
      whileRunning: true,
      growsWhileRunning: true,
      readOnly: true,
      readOnlyLive: true,
      quiesce: 'frozen',
      measuresUsed: true,
    },
    has: ref => records.get(ref) !== undefined,
    usable,
    create: async (spec, key) => refusedVolume(spec, key) ?? make(refOf('vol', key), spec, null),
    observe: async ref => done(seen(ref)),
    grow: async (ref, sizeGb) => refusedSize(sizeGb) ?? grow(ref, sizeGb),
    snapshot: async (ref, spec, key) =>
      refusedKey(key) ?? refusedKey(spec.snapshotId) ?? snapshot(ref, spec, key),
    restore: async (ref, spec, key) => refusedVolume(spec, key) ?? restore(ref, spec, key),
    async destroy(ref) {
      if (!volumeAt(ref)) return done()
      if (needs.machineWith(ref) !== null) return inUse()
      drop(ref)
      return done()
    },
    async destroySnapshot(ref) {
      if (snapshotAt(ref)) drop(ref)
      return done()
    },
    async list() {
      const all = [...records]
      return done({
        volumes: all.flatMap(([ref, record]) =>
          record.kind === 'volume' ? [{ ref, volumeId: record.spec.volumeId, ...seen(ref) }] : [],
        ),
        snapshots: all.flatMap(([ref, record]) =>
          record.kind === 'snapshot'
            ? [
                {
                  ref,
                  snapshotId: record.snapshotId,
                  volumeId: record.volumeId,
                  state: 'available' as const,
                  usedBytes: record.usedBytes,
                },
              ]
            : [],
        ),
      })
    },
    attach: async (machine, mount) => needs.attach(machine, mount),
    detach: async machine => needs.detach(machine),
    files: filesOf,
  }
}

/** Of what a machine is nothing is to be seen below a volume's top. */
const noMachine: MachineFacts = {
  name: '',
  gpuType: '',
  gpuCount: 0,
  gpuMemoryGb: 0,
  cpuCores: 0,
  memoryGb: 0,
  storageGb: 0,
  startedAtMs: 0,
}

const snapshotOf = (ref: Ref, { usedBytes, sizeGb, sha256 }: Kept): Snapshot => ({
  ref,
  usedBytes,
  sizeGb,
  sha256,
})

function isRecord(value: unknown): value is Volume | Kept {
  const record = value as (Partial<Volume> & Partial<Omit<Kept, 'kind'>>) | null
  if (record?.kind === 'volume')
    return Number.isFinite(record.availableAtMs) && typeof record.spec?.volumeId === 'string'
  return typeof record?.snapshotId === 'string' && typeof record.sha256 === 'string'
}

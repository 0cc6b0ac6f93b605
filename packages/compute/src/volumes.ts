/**
 * A store of volumes beside a driver: disks that outlive machines, and what was kept of them at one moment. It knows
 * nothing of users, money or PostgreSQL, and keeps to the rules of `driver.ts`: every call is idempotent by key or ref,
 * answers within seconds and never waits; "not yet" and failure are values; absence is success where something is to go;
 * a call that throws is a bug. For a ref with nothing behind it `observe` answers `gone` and every other call is `lost`.
 *
 * A volume belongs to one tenant, and at most one machine that runs has it; what a machine of the spec's tenant writes
 * every machine of that tenant may change. A machine gets it by the `volume` of its spec, which counts from the next
 * start, or while it runs by `attach`, where the store can do that. No call trusts what a tenant wrote: the mounts are
 * `nosuid` and `nodev`, nothing outside of the volume is reached through it, and nothing of a tenant's is mounted from
 * what the tenant could have written below a file system.
 */
import type { Answer, Driver, MachineFiles, Ref } from './driver.ts'
import type { VolumeMount } from './volume-mount.ts'

export interface VolumeSpec {
  /** The volume's id: label of everything made for it. */
  readonly volumeId: string
  readonly tenant: string
  /** In GiB, a whole number from 1 to `maxVolumeGb`. */
  readonly sizeGb: number
}

export interface SnapshotSpec {
  readonly snapshotId: string
}

/** `creating`: being made or restored. `gone`: nothing is left of it. */
export type VolumeState = 'creating' | 'available' | 'gone'

export interface VolumeSeen {
  readonly state: VolumeState
  readonly sizeBytes: number
  /** Null: it is not known now, or never (`measuresUsed`). */
  readonly usedBytes: number | null
  /** The machine that runs with it; null: none does. */
  readonly machine: Ref | null
}

export interface Snapshot {
  readonly ref: Ref
  /** What is stored of it, at its creation and ever after. */
  readonly usedBytes: number
  /** The smallest volume that it can be restored to, in GiB. */
  readonly sizeGb: number
  /** Of what is stored, in hexadecimal digits; held to at each restore. */
  readonly sha256: string
}

export interface ListedVolume extends VolumeSeen {
  readonly ref: Ref
  readonly volumeId: string
}

export interface ListedSnapshot {
  readonly ref: Ref
  readonly snapshotId: string
  readonly volumeId: string
  readonly state: VolumeState
  /** Null while it is being made. */
  readonly usedBytes: number | null
}

export interface VolumeCapabilities {
  /** A program that writes more gets ENOSPC, and nothing beside the volume is touched. */
  readonly enforcesSize: boolean
  /** `attach` and `detach` work; else a volume comes and goes with a start. */
  readonly whileRunning: boolean
  /** `grow` works while a machine runs with the volume; else it is `rejected` then. */
  readonly growsWhileRunning: boolean
  /** A mount can be made read-only. */
  readonly readOnly: boolean
  /** And one of a machine that runs can become so, or writable again, by `attach`. */
  readonly readOnlyLive: boolean
  /**
   * When a snapshot can be taken: `stopped`, while no machine that runs has the volume; `frozen`, at any time, and the
   * machine's writes wait meanwhile. Either way it holds one moment's whole file system.
   */
  readonly quiesce: 'stopped' | 'frozen'
  readonly measuresUsed: boolean
}

export const maxVolumeGb = 5_000
export const gibibyte = 2 ** 30

export interface VolumeStore {
  readonly capabilities: VolumeCapabilities
  /** An empty volume. The same key answers the same ref; done when it is available. */
  create(spec: VolumeSpec, key: string): Promise<Answer<Ref>>
  observe(ref: Ref): Promise<Answer<VolumeSeen>>
  /** Makes it larger; a size that it has already is done, a smaller one `rejected`. */
  grow(ref: Ref, sizeGb: number): Promise<Answer>
  /** Keeps what the volume holds now; lives on when that is destroyed. Done when all of it is stored and checksummed. */
  snapshot(ref: Ref, spec: SnapshotSpec, key: string): Promise<Answer<Snapshot>>
  /**
   * A volume that holds what the snapshot of `ref` does, of at least its size. A snapshot whose sum is another by now is
   * `rejected`, and nothing is made of it.
   */
  restore(ref: Ref, spec: VolumeSpec, key: string): Promise<Answer<Ref>>
  /** Removes it. `rejected` while a machine runs with it. */
  destroy(ref: Ref): Promise<Answer>
  destroySnapshot(ref: Ref): Promise<Answer>
  /** All volumes and snapshots, each as a look sees it now; it tells of all or fails. */
  list(): Promise<
    Answer<{ readonly volumes: readonly ListedVolume[]; readonly snapshots: readonly ListedSnapshot[] }>
  >
  /**
   * Mounts it in a machine that runs and has no volume, until the machine's stop; done when it is mounted so already.
   * Where it is mounted by this name with the other `readOnly`, it becomes so (`readOnlyLive`), or all stays as it is:
   * `rejected` while a program there has a file of it open for writing. Once read-only, nothing on the machine writes.
   * The spec does not change. Where the store can't (`whileRunning`): `rejected`.
   */
  attach(machine: Ref, mount: VolumeMount): Promise<Answer>
  /** Takes it off a machine that runs. `rejected` while a program there uses it. Done when it has none. */
  detach(machine: Ref): Promise<Answer>
  /**
   * What is in it, whether a machine runs with it or not, and as its tenant: `/` is the volume's own top, and no path and
   * no link leads out of it. Not held to a mount's `readOnly`. "Not yet" while something long goes on with the volume;
   * what is under way keeps `grow` and `snapshot` waiting, and `destroy` ends it.
   */
  files(ref: Ref): MachineFiles
}

/** A driver whose machines may have volumes. */
export interface StoringDriver extends Driver {
  readonly volumes: VolumeStore
}

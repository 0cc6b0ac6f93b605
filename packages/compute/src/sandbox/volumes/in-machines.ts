/**
 * Volumes in machines: what a start gives one, what comes and goes while it runs, and who has what. Calls for one machine
 * come in its turn. What a machine was given is noted before it gets it and counts while it runs, so nobody who is
 * killed in between leaves a volume with two machines.
 */
import { existsSync, readdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { refusedMount } from '../../checks.ts'
import { type Answer, done, failed, notYet, type Ref } from '../../driver.ts'
import { mountPath, type VolumeMount, volumesFolder } from '../../volume-mount.ts'
import { makeFolder, type MachineRecord, type MachineStore } from '../machine-store.ts'
import type { VolumeLinks } from '../agent/volume-links.ts'
import type { GivenVolume } from '../machine-view.ts'
import type { ProcessIdentity } from '../processes.ts'
import { mountInside, mountsInside, setReadOnlyInside, unmountInside } from './live.ts'
import type { Volumes } from './store.ts'
import type { Placed, VolumeFiles } from './volume-files.ts'

export interface MachineVolumeNeeds {
  readonly store: MachineStore
  readonly files: VolumeFiles
  readonly isStopped: (machine: Ref) => boolean
  readonly canEnter: boolean
}

const inUse = () => failed('rejected', 'The volume is attached to another instance that runs.')
const notRunning = () => failed('rejected', 'The instance is not running.')

type PlacedVolumes = Pick<Volumes<Placed>, 'place' | 'settle'>
export type MachineVolumes = ReturnType<typeof createMachineVolumes>

export function createMachineVolumes({ store, files, isStopped, canEnter }: MachineVolumeNeeds) {
  /** Machines that are about to run with what they were given. */
  const coming = new Set<Ref>()

  function machineWith(ref: Ref): Ref | null {
    const has = (id: Ref) => files.given(id)?.ref === ref && (coming.has(id) || !isStopped(id))
    return store.ids().find(has) ?? null
  }

  async function placeFor(
    volumes: PlacedVolumes,
    machine: Ref,
    mount: VolumeMount,
    tenant: string,
  ): Promise<Answer<Placed>> {
    const refused = refusedMount(mount)
    if (refused) return refused
    const owner = files.volume(mount.ref)?.spec.tenant
    if (owner === undefined) return failed('rejected', 'The volume is gone.')
    if (owner !== tenant) return failed('rejected', 'The volume is somebody else’s.')
    const other = machineWith(mount.ref)
    if (other !== null && other !== machine) return inUse()
    coming.add(machine)
    const before = files.given(machine)
    files.give(machine, mount)
    const placed = await volumes.place(mount.ref)
    if (placed.kind === 'done') {
      makeFolder(join(files.points(machine), mount.name), 0o755)
      return placed
    }
    coming.delete(machine)
    files.give(machine, before)
    return placed
  }

  /** For a start, right before it. `begun` follows whatever comes of it. */
  async function provide(
    volumes: PlacedVolumes,
    machine: Ref,
    { spec }: MachineRecord,
  ): Promise<Answer<GivenVolume | null>> {
    const mount = spec.volume ?? null
    makeFolder(files.points(machine), 0o755)
    if (!mount) {
      files.give(machine, null)
      return done(null)
    }
    const placed = await placeFor(volumes, machine, mount, spec.tenant)
    if (placed.kind !== 'done') return placed
    return done({ source: placed.value.folder, path: mountPath(mount.name), readOnly: mount.readOnly })
  }

  /** Of a machine that starts now. */
  function links(machine: Ref): VolumeLinks {
    const name = files.given(machine)?.name ?? null
    const points = files.points(machine)
    const before = existsSync(points) ? readdirSync(points).filter(each => each !== name) : []
    return { name, before }
  }

  async function attach(
    volumes: PlacedVolumes,
    machine: Ref,
    { spec, uid }: MachineRecord,
    init: ProcessIdentity | null,
    mount: VolumeMount,
  ): Promise<Answer> {
    if (!canEnter) return failed('rejected', 'Here a volume is attached while the instance is stopped.')
    if (!init) return notRunning()
    const inside = mountsInside(init)
    if (!inside.has(volumesFolder))
      return failed('rejected', 'This instance was started before this was possible. Restart it to use this.')
    const given = files.given(machine)
    const present = given && inside.get(mountPath(given.name))
    if (given && present) {
      if (given.ref !== mount.ref || given.name !== mount.name)
        return failed('rejected', 'The instance has another volume.')
      // Somebody may have been killed before it was noted.
      const isSo = present.includes('ro') === mount.readOnly
      if (!isSo && !(await setReadOnlyInside(init, mountPath(mount.name), mount.readOnly)))
        return failed('rejected', 'A program on the instance has a file of the volume open for writing.')
      files.give(machine, mount)
      return done()
    }
    try {
      const placed = await placeFor(volumes, machine, mount, spec.tenant)
      if (placed.kind !== 'done') return placed
      const { folder, record } = placed.value
      const uids = { from: record.uid ?? 0, to: (record.uid === null ? null : uid) ?? 0 }
      await mountInside(init, mountPath(mount.name), folder, mount.readOnly, uids)
      return done()
    } finally {
      coming.delete(machine)
    }
  }

  /** Answers the name that it was mounted by. */
  async function detach(
    volumes: PlacedVolumes,
    machine: Ref,
    init: ProcessIdentity | null,
  ): Promise<Answer<string | null>> {
    const given = files.given(machine)
    if (!given || !init) return done(null)
    if (!canEnter) return failed('rejected', 'Here a volume is detached while the instance is stopped.')
    const path = mountPath(given.name)
    if (mountsInside(init).has(path) && !(await unmountInside(init, path)))
      return failed('rejected', 'A program on the instance still uses the volume. End it first.')
    files.give(machine, null)
    removePoints(machine, [given.name])
    return (await volumes.settle(given.ref)).kind === 'not_yet' ? notYet(100) : done(given.name)
  }

  function removePoints(machine: Ref, names: readonly string[]): void {
    for (const name of names)
      try {
        rmdirSync(join(files.points(machine), name))
      } catch {
        // It is in somebody's view still, or has gone already.
      }
  }

  return {
    machineWith,
    provide,
    links,
    attach,
    detach,
    /** The start that `provide` was for has begun, or has failed. */
    begun(machine: Ref): void {
      coming.delete(machine)
    },
    /** The machine has come up, so its keeper has been told of these. */
    cleared: (machine: Ref): void => removePoints(machine, links(machine).before),
  }
}

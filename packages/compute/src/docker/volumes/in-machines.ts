/**
 * Volumes in machines: which container is made with which, and who has what. A volume comes and goes with a start, since an
 * engine gives a container its mounts when it makes it.
 */
import type { ContainerInspectInfo, MountSettings } from 'dockerode'
import { refusedMount } from '../../checks.ts'
import { type Answer, done, failed, type Ref } from '../../driver.ts'
import { mountPath, type VolumeMount } from '../../volume-mount.ts'
import { createTurns } from '../../sandbox/turns.ts'
import type { Volumes } from '../../sandbox/volumes/store.ts'
import { toolsFolder } from '../agent/session.ts'
import { unlessMissing } from '../engine.ts'
import { isViewMount, type MountedVolume, type View, volumeLabels, volumeMounts } from '../host-config.ts'
import type { GivenVolume } from '../input.ts'
import type { Changes } from '../made-anew.ts'
import { labels } from '../names.ts'
import type { MachineRecords } from '../records.ts'
import { isTaken } from './archives.ts'
import { giveFiles, userOf } from './owner.ts'
import { type ProgramNeeds } from './run-program.ts'

export interface Located {
  /** Whose it is, as a hash. */
  readonly tenant: string
  readonly view: (isReadOnly: boolean) => View
}

export interface MachineVolumeNeeds extends ProgramNeeds {
  readonly records: MachineRecords
  /** Null: there is no such volume. */
  readonly locate: (ref: Ref) => Promise<Located | null>
}

const inUse = () => failed('rejected', 'The volume is attached to another instance that runs.')

export type MachineVolumes = ReturnType<typeof createMachineVolumes>

export function createMachineVolumes(needs: MachineVolumeNeeds) {
  const { engine, names, records, locate } = needs
  const { calls } = engine
  const inTurn = createTurns()
  /** What machines that are about to run were given. */
  const coming = new Map<Ref, Ref>()

  /** Machines whose containers run with it, and as what. */
  async function runningWith(ref: Ref): Promise<{ machine: Ref; isForFiles: boolean }[]> {
    const filters = {
      label: [...names.filter.label, labels.instance, `${labels.volume}=${ref}`],
      status: ['running', 'paused'],
    }
    const prefix = `/${names.container('')}`
    const found = await calls.listContainers({ filters })
    return Promise.all(
      found
        .flatMap(({ Names }) => Names.filter(name => name.startsWith(prefix)))
        .map(async name => {
          const machine = name.slice(prefix.length)
          return { machine, isForFiles: (await records.read(machine)).mode === 'files' }
        }),
    )
  }

  async function machineWith(ref: Ref): Promise<Ref | null> {
    for (const [machine, its] of coming) if (its === ref) return machine
    return (await runningWith(ref)).find(({ isForFiles }) => !isForFiles)?.machine ?? null
  }

  /** Two that come at once don't both find it free. */
  const took = (machine: Ref, ref: Ref): Promise<boolean> =>
    inTurn(ref, async () => {
      const other = await machineWith(ref)
      const isFree = other === null || other === machine
      if (isFree) coming.set(machine, ref)
      return isFree
    })

  const mountedBy = ({ ref, name, readOnly }: VolumeMount, { view }: Located): MountedVolume => ({
    ref,
    name,
    view: view(readOnly),
  })

  async function imageHides(image: string, path: string): Promise<boolean> {
    const { id } = await calls.createContainer({
      Image: image,
      Entrypoint: ['none'],
      // What was made of a machine's disk is labelled as that.
      Labels: { ...names.owned, [labels.instance]: '', [labels.volume]: '' },
      HostConfig: { NetworkMode: 'none' },
    })
    try {
      return await isTaken(engine, id, path)
    } finally {
      await unlessMissing(calls.getContainer(id).remove({ force: true, v: true }))
    }
  }

  /** What its container has beside its volume, and then the volume that it is to have. */
  function changed({ HostConfig, Config }: ContainerInspectInfo, volume: MountedVolume | null): Changes {
    const mounts = ((HostConfig.Mounts ?? []) as MountSettings[]).filter(each => !isViewMount(each))
    // An earlier version's programs know nothing of volumes.
    const current = mounts.map(each =>
      each.Target === toolsFolder ? { ...each, Source: needs.tools } : each,
    )
    return {
      mounts: [...current, ...volumeMounts(volume, names.owned)],
      labels: { ...Config.Labels, ...volumeLabels(volume) },
    }
  }

  const viewsOf = ({ HostConfig }: ContainerInspectInfo): MountSettings[] =>
    ((HostConfig.Mounts ?? []) as MountSettings[]).filter(isViewMount)

  async function given(volume: GivenVolume): Promise<Answer<MountedVolume>> {
    const located = await locate(volume.ref)
    if (!located) return failed('rejected', 'The volume is gone.')
    if (located.tenant !== names.tenant(volume.tenant))
      return failed('rejected', 'The volume is somebody else’s.')
    return done(mountedBy(volume, located))
  }

  return {
    machineWith,

    async runsWithOne(machine: Ref): Promise<boolean> {
      const found = await unlessMissing(calls.getContainer(names.container(machine)).inspect())
      const isRun = found?.State.Running && (await records.read(machine)).mode === 'run'
      return Boolean(isRun) && volumeOf(found!) !== null
    },

    /** Stopped machines whose containers run with it, for their files. */
    forFiles: async (ref: Ref): Promise<Ref[]> =>
      (await runningWith(ref)).flatMap(({ machine, isForFiles }) => (isForFiles ? [machine] : [])),

    refused: (mount: VolumeMount | null): Answer<never> | null => mount && refusedMount(mount),

    /** What a new container is made with. Why it can't have it, the start says. */
    async forNew(volume: GivenVolume | null, image: string): Promise<MountedVolume | null> {
      if (!volume) return null
      const answer = await given(volume)
      if (answer.kind !== 'done' || (await imageHides(image, mountPath(volume.name)))) return null
      return answer.value
    },

    /**
     * For a start, right before it: what the machine's container is to be made anew with, or null where it is as it should
     * be. `begun` follows whatever comes of it.
     */
    async provide(
      volumes: Pick<Volumes<unknown>, 'place'>,
      machine: Ref,
      found: ContainerInspectInfo,
      volume: GivenVolume | null,
    ): Promise<Answer<Changes | null>> {
      const before = viewsOf(found)
      if (!volume) return done(before.length > 0 ? changed(found, null) : null)
      const wanted = await given(volume)
      if (wanted.kind !== 'done') return wanted
      if (!(await took(machine, volume.ref))) return inUse()
      const placed = await volumes.place(volume.ref)
      if (placed.kind !== 'done') return placed
      const [has] = before
      const path = mountPath(volume.name)
      if (has?.Source === wanted.value.view.source && has.Target === path) return done(null)
      const fits = async (image: string) => has?.Target === path || !(await imageHides(image, path))
      return done({ ...changed(found, wanted.value), fits })
    },

    /** Before its container starts: what is on the volume becomes that of whoever the container runs as. */
    async own(found: ContainerInspectInfo): Promise<void> {
      const ref = volumeOf(found)
      const located = ref !== null && (await locate(ref))
      if (located) await giveFiles(needs, ref, located.view(false), await userOf(engine, found))
    },

    /** Of a stopped machine, whose files are to be seen: what is to be changed where its volume is not there any more. */
    withoutGone: async (found: ContainerInspectInfo): Promise<Changes | null> => {
      const ref = volumeOf(found)
      return ref === null || (await locate(ref)) ? null : changed(found, null)
    },

    begun: (machine: Ref): void => void coming.delete(machine),

    /** Of a container that is gone. One that another container names stays. */
    async leave(found: ContainerInspectInfo): Promise<void> {
      for (const { Source } of viewsOf(found))
        await calls
          .getVolume(Source)
          .remove()
          .catch(() => {})
    },
  }
}

export const volumeOf = ({ Config }: ContainerInspectInfo): Ref | null => Config.Labels[labels.volume] || null

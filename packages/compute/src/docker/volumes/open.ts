/**
 * The store beside a driver of containers, put together: file systems in files where the engine is on this host and sees
 * what is mounted here, else volumes of the engine's own, which nothing holds to a size.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ContainerInspectInfo } from 'dockerode'
import { refusedVolume } from '../../checks.ts'
import { type Answer, done, failed, type Ref } from '../../driver.ts'
import { hostKeep } from '../../sandbox/volumes/host-keep.ts'
import {
  canGrowMounted,
  imagesIn,
  isMounted,
  makeImage,
  mountImage,
  ownFolder,
  unmountImage,
} from '../../sandbox/volumes/images.ts'
import { createVolumes } from '../../sandbox/volumes/store.ts'
import { openVolumeFiles } from '../../sandbox/volumes/volume-files.ts'
import type { VolumeMount } from '../../volume-mount.ts'
import type { VolumeSpec, VolumeStore } from '../../volumes.ts'
import { complaintOf } from '../engine.ts'
import { type View, viewMount } from '../host-config.ts'
import type { GivenVolume } from '../input.ts'
import type { Changes } from '../made-anew.ts'
import type { DockerProbe } from '../probes.ts'
import type { MachineRecords } from '../records.ts'
import { engineKeep, engineView, whyNoView } from './engine-keep.ts'
import { createVolumeFiles } from './files.ts'
import { createMachineVolumes, type Located, volumeOf } from './in-machines.ts'
import { type ProgramNeeds, runProgram, script } from './run-program.ts'
import { withoutViews } from './views.ts'

export interface DockerVolumeOptions extends ProgramNeeds {
  readonly dir: string
  readonly address: string
  readonly records: MachineRecords
  /** Why nothing of this host's may be used; null: what can be is. */
  readonly notHere: string | null
  readonly filesInUse: (machine: Ref) => boolean
  readonly endFiles: (machine: Ref) => Promise<Answer>
  readonly log: (message: string) => void
}

export type DockerVolumes = Awaited<ReturnType<typeof openVolumes>>

/** By the engine and the file system of the folder: what they can do together does not change. */
const tried = new Map<string, Promise<string | null>>()

export async function openVolumes(options: DockerVolumeOptions) {
  const { names, log } = options
  const { isHere, refusal } = await choosePlace(options)
  const kept = isHere ? onHost(options) : onEngine(options)
  const problem = isHere ? null : await ofEngine(options)
  const machines = createMachineVolumes({ ...options, locate: kept.locate })
  const files = createVolumeFiles({
    ...options,
    viewOf: async ref => (await kept.locate(ref))?.view(false) ?? null,
    machines: {
      inUse: async ref => (await machines.forFiles(ref)).some(options.filesInUse),
      async end(ref) {
        const ended = await Promise.all((await machines.forFiles(ref)).map(options.endFiles))
        return ended.every(({ kind }) => kind === 'done')
      },
    },
  })
  const volumes = kept.open({ machineWith: machines.machineWith, files, log })
  const notHeld = `their size is not enforced: ${refusal?.split('\n')[0]}`
  const probe: DockerProbe = {
    name: 'volumes',
    required: false,
    ok: isHere && refusal === null,
    detail: isHere
      ? refusal === null
        ? 'held to their size'
        : `those on this host can’t be used now: ${refusal.split('\n')[0]}`
      : problem === null
        ? notHeld
        : `none: the engine can’t mount its own as they must be: ${problem}`,
  }

  const hashed = (spec: VolumeSpec): VolumeSpec => ({ ...spec, tenant: names.tenant(spec.tenant) })
  const atStart = () => failed('rejected', 'Here a volume comes and goes while the instance is stopped.')
  const store: VolumeStore = {
    ...volumes.calls,
    create: async (spec, key) => refusedVolume(spec, key) ?? volumes.calls.create(hashed(spec), key),
    restore: async (ref, spec, key) =>
      refusedVolume(spec, key) ?? volumes.calls.restore(ref, hashed(spec), key),
    capabilities: {
      enforcesSize: isHere,
      whileRunning: false,
      growsWhileRunning: !isHere || canGrowMounted(),
      readOnly: true,
      readOnlyLive: false,
      quiesce: 'stopped',
      measuresUsed: isHere,
    },
    attach: async () => atStart(),
    detach: async machine => ((await machines.runsWithOne(machine)) ? atStart() : done()),
  }

  return {
    probe,
    /** Null: it can keep none. */
    store: problem === null ? store : null,
    /** They lie on this host's disk. */
    isHere,
    machines: {
      refused: (mount: VolumeMount | null) => machines.refused(mount),
      forNew: machines.forNew,
      provide: (
        machine: Ref,
        found: ContainerInspectInfo,
        given: GivenVolume | null,
      ): Promise<Answer<Changes | null>> => machines.provide(volumes, machine, found, given),
      withoutGone: machines.withoutGone,
      /** Acts while its volume, if it has one, is where it can be mounted. */
      whileThere(found: ContainerInspectInfo, act: () => Promise<Answer>): Promise<Answer> {
        const ref = volumeOf(found)
        return ref === null ? act() : volumes.serve(ref, act)
      },
      own: machines.own,
      begun: machines.begun,
      leave: machines.leave,
      /** It does not run any more. */
      async ended(found: ContainerInspectInfo): Promise<void> {
        const ref = volumeOf(found)
        if (ref !== null) await volumes.settle(ref)
      },
    },
    /** Takes back what somebody who was killed has left mounted. */
    sweep: volumes.settleAll,
    close: volumes.close,
  }
}

function onHost(options: DockerVolumeOptions) {
  const files = openVolumeFiles(options.dir)
  const keep = hostKeep({
    files,
    kind: 'image',
    canGrowMounted: canGrowMounted(),
    uidOf: async () => null,
    releaseUid: () => {},
  })
  return {
    async locate(ref: Ref): Promise<Located | null> {
      const record = files.volume(ref)
      if (!record) return null
      const device = join(files.path('volumes', ref, 'mnt'), ownFolder)
      return { tenant: record.spec.tenant, view: viewsOf(options, ref, device) }
    },
    open: (needs: Omit<Parameters<typeof createVolumes>[0], 'keep'>) =>
      createVolumes({
        ...needs,
        keep: withoutViews(keep, options),
      }),
  }
}

/** The flags of a mount that is bound stay with it; the engine sets others only where it is to be read-only. */
const viewsOf =
  ({ names }: Pick<DockerVolumeOptions, 'names'>, ref: Ref, device: string) =>
  (isReadOnly: boolean): View => ({
    source: names.part('view', ref, isReadOnly ? 'ro' : undefined),
    options: { type: 'none', device, o: isReadOnly ? 'bind,ro,nosuid,nodev' : 'bind' },
  })

function onEngine(options: DockerVolumeOptions) {
  const keep = engineKeep(options)
  return {
    async locate(ref: Ref): Promise<Located | null> {
      const kept = await keep.volume(ref)
      if (!kept) return null
      const source = (isReadOnly: boolean) => options.names.part('view', ref, isReadOnly ? 'ro' : undefined)
      return {
        tenant: kept.spec.tenant,
        view: isReadOnly => engineView(source(isReadOnly), kept, isReadOnly),
      }
    },
    open: (needs: Omit<Parameters<typeof createVolumes>[0], 'keep'>) =>
      createVolumes({ ...needs, keep: withoutViews(keep, options) }),
  }
}

/** What is kept in one place is not looked for in the other: there it would be gone. */
async function choosePlace(
  options: DockerVolumeOptions,
): Promise<{ readonly isHere: boolean; readonly refusal: string | null }> {
  const refusal = await whyNotHere(options)
  const files = openVolumeFiles(options.dir)
  if (files.refs('volumes').length + files.refs('snapshots').length > 0) return { isHere: true, refusal }
  if (refusal !== null) return { isHere: false, refusal }
  const { volumes, snapshots } = await engineKeep(options).list()
  const isKept = volumes.length + snapshots.length > 0
  return isKept
    ? { isHere: false, refusal: 'the engine keeps some already' }
    : { isHere: true, refusal: null }
}

/** Why file systems in files of this host can't be what a container of this engine gets; null: they can. */
async function whyNotHere(options: DockerVolumeOptions): Promise<string | null> {
  if (options.notHere !== null) return options.notHere
  if (!options.address.startsWith('unix:')) return 'the engine is on another host'
  if (process.getuid?.() !== 0) return 'an ordinary user can’t mount file systems'
  const scraps = join(options.dir, 'trash')
  mkdirSync(scraps, { recursive: true, mode: 0o711 })
  const refusal = await imagesIn(options.dir, 'trash')
  if (refusal !== null) return refusal
  const key = `${options.address}\0${statSync(options.dir).dev}`
  const answer = tried.get(key) ?? seesMounts(options, mkdtempSync(join(scraps, 'probe-')))
  tried.set(key, answer)
  return answer
}

/** By the engine, what volumes of its own can't be. */
const triedOwn = new Map<string, Promise<string | null>>()

function ofEngine(options: DockerVolumeOptions): Promise<string | null> {
  const answer =
    triedOwn.get(options.address) ?? whyNoView(options, withoutViews(engineKeep(options), options))
  triedOwn.set(options.address, answer)
  return answer
}

/** Has a container look at what was mounted here a moment ago. */
async function seesMounts(options: DockerVolumeOptions, folder: string): Promise<string | null> {
  const [image, at, ref] = [join(folder, 'image'), join(folder, 'mnt'), 'probe']
  const { source, options: of } = viewsOf(options, ref, join(at, ownFolder))(false)
  const view = { source: `${source}.${folder.slice(-6)}`, options: of }
  try {
    await makeImage(folder, 2 ** 23, null)
    await mountImage(image, at)
    writeFileSync(join(at, ownFolder, 'mark'), folder)
    const look = ['IFS= read -r line </volume/mark', `[ "$line" = '${folder}' ]`]
    await runProgram(options, ref, [viewMount(view, '/volume', ref, options.names.owned)], script(look))
    return (await unmountImage(image, at)) ? null : 'a mount could not be taken back from the engine'
  } catch (error) {
    return `the engine does not see what is mounted on this host: ${complaintOf(error)}`
  } finally {
    await options.engine.calls
      .getVolume(view.source)
      .remove()
      .catch(() => {})
    if (isMounted(at)) await unmountImage(image, at)
    if (!isMounted(at)) rmSync(folder, { recursive: true, force: true })
  }
}

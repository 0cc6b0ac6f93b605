/** The store beside the sandbox's driver, put together: what this host can do, and which machine has which volume. */
import { type Answer, done, type Driver, failed, type Ref } from '../../driver.ts'
import { linksFolder, mountPath } from '../../volume-mount.ts'
import type { VolumeStore } from '../../volumes.ts'
import type { Clerks } from '../clerk.ts'
import type { MachineRecord, MachineStore } from '../machine-store.ts'
import type { GivenVolume } from '../machine-view.ts'
import type { SandboxProbe } from '../probes.ts'
import type { ProcessIdentity } from '../processes.ts'
import { createVolumeClerks } from './files.ts'
import { hostKeep } from './host-keep.ts'
import { canGrowMounted, imagesIn } from './images.ts'
import { createMachineVolumes } from './in-machines.ts'
import { createVolumes } from './store.ts'
import type { VolumeFiles } from './volume-files.ts'

export interface VolumeOptions {
  readonly dir: string
  readonly files: VolumeFiles
  readonly store: MachineStore
  readonly isRoot: boolean
  /** Perl is there and makes the calls that the launcher makes. */
  readonly hasLauncher: boolean
  readonly clerks: Clerks
  /** The folder that clerks run from. */
  readonly runtime: string
  readonly uidOf: (tenant: string) => Promise<number | null>
  readonly isStopped: (machine: Ref) => boolean
  /** The machine's first process, while it runs. */
  readonly initOf: (machine: Ref) => ProcessIdentity | null
  readonly log: (message: string) => void
}

interface MachineNeeds {
  readonly withMachine: <T>(
    ref: Ref,
    act: (record: MachineRecord) => Promise<Answer<T>>,
  ) => Promise<Answer<T>>
  readonly exec: Driver['exec']
  readonly log: (message: string) => void
}

export type SandboxVolumes = Awaited<ReturnType<typeof openVolumes>>

export async function openVolumes(options: VolumeOptions) {
  const { files, store, isRoot, log } = options
  const refusal = isRoot ? await imagesIn(options.dir, 'trash') : 'an ordinary user can’t mount them'
  const kind = refusal === null ? 'image' : 'folder'
  const probe: SandboxProbe = {
    name: 'volumes',
    required: false,
    ok: refusal === null,
    detail: refusal === null ? 'held to their size' : `their size is not enforced: ${refusal.split('\n')[0]}`,
  }
  const canEnter = isRoot && options.hasLauncher
  const machines = createMachineVolumes({ store, files, isStopped: options.isStopped, canEnter })
  const volumes = createVolumes({
    keep: hostKeep({
      files,
      kind,
      canGrowMounted: canGrowMounted(),
      uidOf: options.uidOf,
      releaseUid: uid => store.releaseUid(uid),
    }),
    machineWith: async ref => machines.machineWith(ref),
    files: createVolumeClerks({ clerks: options.clerks, files, runtime: options.runtime, log }),
    log,
  })

  function storeFor({ withMachine, exec }: MachineNeeds): VolumeStore {
    /** What a program of the machine's own does with its link; nobody but the customer has to care how that went. */
    async function inWorkspace(machine: Ref, command: readonly string[]): Promise<void> {
      const answer = await exec(machine, { command })
      if (answer.kind !== 'done') return
      answer.value.stdin.end()
      for (const output of [answer.value.stdout, answer.value.stderr]) output.resume()
      await answer.value.ended
    }

    return {
      ...volumes.calls,
      capabilities: {
        enforcesSize: kind === 'image',
        whileRunning: canEnter,
        growsWhileRunning: kind === 'folder' || canGrowMounted(),
        readOnly: true,
        readOnlyLive: canEnter,
        quiesce: 'stopped',
        measuresUsed: kind === 'image',
      },
      async attach(machine, mount) {
        const answer = await withMachine(machine, record =>
          machines.attach(volumes, machine, record, options.initOf(machine), mount),
        )
        if (answer.kind !== 'done') return answer
        const link = `${linksFolder}/${mount.name}`
        await inWorkspace(machine, ['ln', '-sT', '--', mountPath(mount.name), link])
        return answer
      },
      async detach(machine) {
        const answer = await withMachine(machine, () =>
          machines.detach(volumes, machine, options.initOf(machine)),
        )
        if (answer.kind !== 'done' || answer.value === null) return answer.kind === 'done' ? done() : answer
        const [path, link] = [mountPath(answer.value), `${linksFolder}/${answer.value}`]
        const remove = '[ "$(readlink -- "$1")" != "$2" ] || rm -- "$1"'
        await inWorkspace(machine, ['sh', '-c', remove, 'unlink', link, path])
        return done()
      },
    }
  }

  return {
    probe,
    machines: {
      provide: (id: Ref, record: MachineRecord): Promise<Answer<GivenVolume | null>> =>
        machines.provide(volumes, id, record).catch((error: unknown) => {
          log(`machine ${id}: its volume: ${String(error)}`)
          return failed('transient', 'The host can’t do this with the volume right now.')
        }),
      links: machines.links,
      begun: machines.begun,
      cleared: machines.cleared,
    },
    storeFor,
    /** An end of a machine, after which its volume is nobody's. */
    async after(machine: Ref, end: () => Promise<Answer>): Promise<Answer> {
      const given = files.given(machine)
      const answer = await end()
      if (answer.kind === 'done' && given) await volumes.settle(given.ref)
      return answer
    },
    /** Takes back what somebody who was killed has left mounted. */
    sweep: volumes.settleAll,
    close: volumes.close,
  }
}

/**
 * The driver that needs nothing but Linux: every machine is an isolated environment on this host, with a real shell.
 * The host's programs are there, its files are not; there is no network. The host's own NVIDIA cards are rented out where
 * it has some (`cards.ts`); else the GPU is simulated and says so.
 *
 * It refuses to run a machine with less isolation than its probes promise, and never runs one on the bare host. It is
 * not safe between strangers: all machines share one kernel, and as an ordinary user they also have no limits on
 * memory, processors and processes; `capabilities.enforces` tells. Machines outlive this process, and a new driver on
 * the same folder finds them. Whenever this process is killed, the next call for that machine puts it right.
 */
import { join, resolve } from 'node:path'
import type { StoringDriver } from '../volumes.ts'
import { limitsOf, roomInMemory } from './capacity.ts'
import { type CardPlaces, openCards } from './cards.ts'
import { findCgroups, groupNameOf } from './cgroups.ts'
import { clerkGroup, createClerks } from './clerk.ts'
import { createDiskSpace } from './disk-space.ts'
import type { Design } from './launch/launch.ts'
import { capabilitiesOf, machineCalls } from './machine-calls.ts'
import { createLife } from './machine-life.ts'
import { cardsOf, type MachineRecord, openMachineStore } from './machine-store.ts'
import { probeDesigns, probeHost, probeInstallation, type SandboxProbe } from './probes.ts'
import { refusingDriver } from './refusing-driver.ts'
import { createSpares } from './spares.ts'
import { tenantUids } from './tenant-uids.ts'
import { stageRuntime, sweepRuntimes } from './runtime.ts'
import { volumeHomeId } from './volumes/files.ts'
import { openVolumes } from './volumes/open.ts'
import { openVolumeFiles } from './volumes/volume-files.ts'

export interface SandboxOptions {
  /** For machines, their disks and what runs in them. As root, other users must be able to pass through it. */
  readonly dir: string
  /** The Node that keeps terminals inside machines. Default: the one that runs this. */
  readonly nodePath?: string
  /** `auto`: by the launcher where it works, else bubblewrap, else util-linux alone. */
  readonly design?: Design | 'auto'
  /** False: machines are made by single tools even where the launcher works. */
  readonly launcher?: boolean
  readonly maxMachines: number
  /** Machines that are up before anybody asks for them, where the launcher works. Default: none. */
  readonly spares?: number
  /** Stopped machines whose files or log are in use at once. */
  readonly maxClerks?: number
  /** Processes in one machine, threads included. */
  readonly maxProcesses?: number
  /** At a stop, programs are asked to end and have this long. */
  readonly stopGraceMs?: number
  /** As root, the machines of each tenant run as a uid of its own, from this one on. */
  readonly firstUid?: number
  /** Where the host's cards are. Null: they are simulated, whatever there is. */
  readonly cards?: CardPlaces | null
  readonly log?: (message: string) => void
}

export interface SandboxDriver extends StoringDriver {
  readonly probes: readonly SandboxProbe[]
}

export async function createSandboxDriver(options: SandboxOptions): Promise<SandboxDriver> {
  const dir = resolve(options.dir)
  const installation = probeInstallation(() => stageRuntime(dir, options.nodePath ?? process.execPath))
  if (!installation.runtime) return refusingDriver(installation.probes)

  const { runtime } = installation
  const log = options.log ?? (() => {})
  const firstUid = process.getuid?.() === 0 ? (options.firstUid ?? 210_000) : null
  const volumeFiles = openVolumeFiles(dir)
  const store = openMachineStore(dir, volumeFiles.uids)
  const cgroups = findCgroups(groupNameOf(dir))
  const trial = { dir, runtime, uid: firstUid, launcher: options.launcher ?? true }
  const designs = await probeDesigns(trial, options.design ?? 'auto')
  const ownCards = options.cards === null ? null : openCards(options.cards)
  const cardProbes = ownCards ? [await ownCards.probe()] : []
  const cards = cardProbes[0]?.ok ? ownCards : null
  const probes = [...installation.probes, ...probeHost(firstUid, cgroups), ...cardProbes, ...designs.probes]
  const isOffered = probes.every(probe => probe.ok || !probe.required)
  const method = isOffered ? designs.method : null
  const processes = options.maxProcesses ?? 1_024
  const limitsOfRecord = (record: MachineRecord) => limitsOf(record.spec, processes)
  const uids = tenantUids(store, firstUid)
  const clerks = createClerks({ cgroups, runtime, method, maxClerks: options.maxClerks ?? 32, log })
  const volumes = await openVolumes({
    dir,
    files: volumeFiles,
    store,
    isRoot: firstUid !== null,
    hasLauncher: method?.byLauncher ?? false,
    clerks,
    runtime: runtime.folder,
    uidOf: uids.of,
    isStopped: id => life.look(id) === 'stopped',
    initOf: id => (life.look(id) === 'running' ? (store.process(id)?.init ?? null) : null),
    log,
  })
  const life = createLife({
    store,
    cgroups,
    runtime,
    method,
    stopGraceMs: options.stopGraceMs ?? 1_000,
    devicesOf: ({ spec }) => {
      const wanted = cardsOf(spec)
      // Where cards are real, nobody gets a simulated one in the place of his.
      if (cards && wanted.length === 0 && spec.gpuCount > 0) return null
      return cards ? cards.devicesOf(wanted) : wanted.length > 0 ? null : []
    },
    limitsOf: limitsOfRecord,
    volumes: volumes.machines,
    hasRoom: () => room().free > 0,
    log,
  })
  const isRunning = (id: string) => life.isHeld(id) || life.look(id) !== 'stopped'
  const room = () => {
    if (!isOffered) return { running: 0, free: 0 }
    const running = store.ids().filter(isRunning).length
    return { running, free: Math.max(0, Math.min(options.maxMachines - running, roomInMemory())) }
  }

  store.sweep()
  // Another control plane's clerk may be about to enter its group.
  const groupsOf = (id: string) => [...(isRunning(id) ? [life.groupOf(id)] : []), clerkGroup(id)]
  const groups = [...store.ids(), ...store.spares()].flatMap(groupsOf)
  cgroups.sweep(
    new Set([...groups, ...volumeFiles.refs('volumes').map(ref => clerkGroup(volumeHomeId(ref)))]),
  )
  const runtimeOf = (id: string) => (store.process(id)?.end ? '' : (store.process(id)?.runtime ?? ''))
  sweepRuntimes(dir, new Set([runtime.id, ...[...store.ids(), ...store.spares()].map(runtimeOf)]))
  const spares = createSpares({
    store,
    cgroups,
    life,
    // One that is up has no card, and is given none.
    most: method?.byLauncher && !cards ? (options.spares ?? 0) : 0,
    processes,
    hasRoom: () => room().free > 0,
    limitsOf: limitsOfRecord,
    claimUid: uids.of,
    log,
  })
  await spares.sweep()
  await volumes.sweep()
  const calls = machineCalls({
    store,
    cgroups,
    life,
    clerks,
    runtime,
    cards,
    spares,
    uids,
    isOffered,
    room,
    space: createDiskSpace(join(dir, 'machines'), join(dir, 'volumes'), join(dir, 'snapshots')),
    volumes,
    log,
  })
  return {
    name: 'sandbox',
    probes: [...probes, volumes.probe],
    capabilities: capabilitiesOf(cgroups.limits, cards !== null),
    ...calls,
  }
}

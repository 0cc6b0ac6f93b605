/**
 * Machines without machines: the contract of a driver, the timings of the product and a simulated shell, with nothing
 * behind them. For demonstrations, load tests and scripted failures.
 *
 * A start takes 2 s and a stop 2 s on the clock it is given; the start of a restart takes 3 s, which the caller says
 * with `{ restart: true }`, because a stop followed by a start is also what a customer may do by hand. With a folder,
 * machines, terminals and what was written to files survive a killed process, a JSON file each; without one they live
 * in memory. `create` asked again with its key takes over a new name or storage size, so that the shell shows what was
 * bought.
 *
 * It enforces no limit of a machine's, keeps a few small files and runs nothing: a program is a line of the shell, and
 * figures are made up. Its capabilities, its log and the ids of its cards say so.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setImmediate as eventLoop } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { refusedCommand, refusedMount, refusedPort } from '../checks.ts'
import { type Answer, done, failed, type Listed, notYet, type Ref } from '../driver.ts'
import type { VolumeMount } from '../volume-mount.ts'
import type { StoringDriver } from '../volumes.ts'
import { openChannels } from './channels.ts'
import { openDisks } from './disks.ts'
import { openMounted } from './mounted-disks.ts'
import { type Fault, type FaultyCall, planFaults } from './faults.ts'
import { createFileCalls } from './file-calls.ts'
import { type Capacity, knownMachine, openFleet, runningMachine } from './fleet.ts'
import { openLog } from './logs.ts'
import { type Machine, seen } from './machine.ts'
import type { Wait } from './session.ts'
import { statsOf } from './stats.ts'
import { openTerminals } from './terminals.ts'
import { simulatedVolumes } from './volumes.ts'

export interface SimulatedOptions {
  /** Where machines are remembered; null keeps them in memory. */
  readonly dir: string | null
  /** The clock of the machines, in ms. It never goes back. */
  readonly now: () => number
  /** Cards by type; a type that is not named is refused. Default: plenty of machines, with cards of every type. */
  readonly capacity?: Capacity
  /** Running machines at most, as the inventory tells of them. Default 10,000. */
  readonly machines?: number
  /** May be added to at any time. */
  readonly faults?: readonly Fault[]
  readonly startMs?: number
  readonly restartStartMs?: number
  readonly stopMs?: number
  /** Keeps the delays of the shell and of late answers, in real time. */
  readonly wait?: Wait
}

export const startMs = 2_000
export const restartStartMs = 3_000
export const stopMs = 2_000

/** Machines between which everything else goes on: a millisecond or two. */
const listedAtOnce = 1_000

const timer: Wait = (ms, then) => {
  const handle = setTimeout(then, ms)
  return () => clearTimeout(handle)
}

const facts = {
  name: 'simulated',
  capabilities: {
    hardware: 'simulated',
    shell: 'simulated',
    images: false,
    enforces: { cpu: false, memory: false, processes: false, disk: false },
    // Made-up figures are there to be looked at; work that is none must keep no machine from being idle.
    measures: { processor: false, memory: true, disk: true, network: true, cards: true },
  },
  probes: [{ name: 'simulated', ok: true, detail: 'Machines and their shells are simulated; nothing runs.' }],
} as const

/** The same key is the same file, whatever characters it has. */
const refOf = (key: string): Ref => `sim-${createHash('sha256').update(key).digest('hex').slice(0, 32)}`

export function createSimulatedDriver(options: SimulatedOptions): StoringDriver {
  const { dir, now, wait = timer } = options
  const fleet = openFleet(dir && join(dir, 'machines'), now, options.capacity ?? null, options.machines)
  const terminals = openTerminals({
    dir: dir && join(dir, 'terminals'),
    now,
    wait,
    isRunning: ref => fleet.find(ref)?.state === 'running',
  })
  const channels = openChannels({ now, wait })
  const volumes = simulatedVolumes({
    dir: dir && join(dir, 'volumes'),
    now,
    disks: () => disks,
    machineWith: volume => fleet.all().find(([ref]) => mountOf(ref)?.ref === volume)?.[0] ?? null,
    attach,
    detach,
  })
  const isThere = (ref: Ref) => fleet.find(ref) !== undefined || volumes.has(ref)
  const disks = openDisks(dir && join(dir, 'files'), isThere)
  const mounted = openMounted(disks, mountOf)
  const faultOf = planFaults(options.faults ?? [])
  let isClosed = false

  /** What the shell is told of a machine. */
  const factsOf = (ref: Ref, { spec, startedAtMs }: Machine) => ({
    ...spec,
    startedAtMs,
    written: mounted.of(ref),
  })

  function mountOf(ref: Ref): VolumeMount | null {
    const machine = fleet.find(ref)
    return machine && machine.state !== 'stopped' ? (machine.volume ?? null) : null
  }

  /** What is in the way of a start. */
  function unusableVolume(ref: Ref): Answer<never> | null {
    const machine = fleet.find(ref)
    const { volume = null, tenant = '' } = machine?.spec ?? {}
    if (machine?.state !== 'stopped' || !volume) return null
    const usable = volumes.usable(volume, tenant)
    return usable.kind === 'failed' ? usable : null
  }

  function attach(ref: Ref, mount: VolumeMount): Answer {
    const refused = refusedMount(mount)
    if (refused) return refused
    const machine = runningMachine(fleet, ref)
    if (machine.kind !== 'done') return machine
    const present = mountOf(ref)
    if (present && isDeepStrictEqual(present, mount)) return done()
    if (present?.ref === mount.ref && present.name === mount.name) {
      fleet.mount(ref, mount)
      return done()
    }
    if (present) return failed('rejected', 'The instance has another volume.')
    const usable = volumes.usable(mount, machine.value.spec.tenant)
    if (usable.kind === 'done') fleet.mount(ref, mount)
    return usable
  }

  function detach(ref: Ref): Answer {
    const machine = knownMachine(fleet, ref)
    if (machine.kind !== 'done') return machine
    fleet.mount(ref, null)
    return done()
  }

  function remove(ref: Ref): Answer {
    terminals.end(ref)
    channels.end(ref)
    disks.removeAll(ref)
    fleet.remove(ref)
    return done()
  }

  async function listAll(): Promise<Listed[]> {
    const listed: Listed[] = []
    for (const [ref, machine] of fleet.all()) {
      listed.push({ ref, instanceId: machine.spec.instanceId, ...seen(machine, now()) })
      if (listed.length % listedAtOnce === 0) await eventLoop()
    }
    return listed
  }

  /** One call: the fault that the plan has for it, then the work, then the answer. */
  async function answer<T>(
    call: FaultyCall,
    ref: Ref,
    work: (addedMs: number) => Answer<T>,
    instanceId = fleet.find(ref)?.spec.instanceId,
  ): Promise<Answer<T>> {
    const fault = faultOf(call, instanceId)
    if (fault?.kind === 'not_yet') return notYet(fault.retryMs ?? 1_000)
    if (fault?.kind !== 'fail' || fault.isApplied) {
      const worked = recorded(() => work(fault?.kind === 'slow' ? fault.addedMs : 0))
      if (fault?.kind === 'late') await new Promise<void>(resolve => wait(fault.ms, resolve))
      if (fault?.kind !== 'fail') return worked
    }
    if (fault.failure === 'lost') remove(ref)
    return failed(fault.failure, fault.message ?? `A planned failure: ${fault.failure}.`)
  }

  const ofRunning = <T>(call: FaultyCall, ref: Ref, work: (machine: Machine) => Answer<T>) =>
    answer(call, ref, () => {
      const machine = runningMachine(fleet, ref)
      return machine.kind === 'done' ? work(machine.value) : machine
    })

  return {
    ...facts,
    volumes,
    inventory: () => answer('inventory', '', () => done([fleet.host()])),
    create: (spec, key) =>
      answer(
        'create',
        refOf(key),
        () => (spec.volume && refusedMount(spec.volume)) ?? fleet.create(refOf(key), spec),
        spec.instanceId,
      ),
    observe: ref => answer('observe', ref, () => done(seen(fleet.find(ref), now()))),

    start(ref, { restart = false } = {}) {
      const ms = restart ? (options.restartStartMs ?? restartStartMs) : (options.startMs ?? startMs)
      return answer('start', ref, addedMs => unusableVolume(ref) ?? fleet.start(ref, ms + addedMs))
    },

    stop: ref =>
      answer('stop', ref, addedMs => {
        const stopped = fleet.stop(ref, (options.stopMs ?? stopMs) + addedMs)
        terminals.end(ref)
        channels.end(ref)
        return stopped
      }),

    destroy: ref => answer('destroy', ref, () => remove(ref)),

    attach: (ref, terminalId, size) =>
      ofRunning('attach', ref, machine => {
        const stream = terminals.attach(ref, terminalId, factsOf(ref, machine), size)
        return stream ? done(stream) : failed('no_capacity', 'Too many terminals of this machine are open.')
      }),

    exec: (ref, command) =>
      ofRunning(
        'exec',
        ref,
        machine => refusedCommand(command) ?? channels.exec(ref, factsOf(ref, machine), command),
      ),

    connect: (ref, port) => ofRunning('connect', ref, () => refusedPort(port) ?? channels.connect(ref, port)),

    logs: (ref, logOptions = {}) =>
      answer('logs', ref, () => {
        const machine = knownMachine(fleet, ref)
        if (machine.kind !== 'done') return machine
        const look = () => ({ machine: isClosed ? undefined : fleet.find(ref), nowMs: now() })
        return done(openLog({ look, wait }, logOptions))
      }),

    stats: ref =>
      ofRunning('stats', ref, machine => done(statsOf(factsOf(ref, machine), disks.usedBytes(ref), now()))),

    files: createFileCalls({
      disks: mounted,
      now,
      factsOf(ref) {
        const machine = knownMachine(fleet, ref)
        return machine.kind === 'done' ? done(factsOf(ref, machine.value)) : machine
      },
      answer: (ref, work) => answer('files', ref, work),
    }),

    // Nothing runs, so there is nothing to measure.
    cpuTime: ref => ofRunning('cpuTime', ref, () => failed('rejected', 'Nothing is measured here.')),

    list: async () => {
      const machines = await listAll()
      return answer('list', '', () => done(machines))
    },
    async close() {
      isClosed = true
      channels.close()
      terminals.close()
    },
  }
}

/** A disk that refuses a record is worth trying again. */
function recorded<T>(work: () => Answer<T>): Answer<T> {
  try {
    return work()
  } catch (error) {
    const isFromDisk = error instanceof Error && 'syscall' in error
    if (isFromDisk) return failed('transient', 'The machine could not be recorded.')
    throw error
  }
}

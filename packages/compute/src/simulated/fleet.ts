/**
 * The simulated machines and the GPUs they take: created once per ref, started and stopped by the clock, forgotten
 * when removed. A machine takes its GPUs from its start to its stop. A change is on disk before it is in memory, so a
 * disk that refuses one has changed nothing.
 */
import {
  type Answer,
  type Card,
  done,
  failed,
  type Host,
  type MachineSpec,
  notYet,
  type Observation,
  type Ref,
} from '../driver.ts'
import type { VolumeMount } from '../volume-mount.ts'
import { begin, isMachine, type Machine, machineAt, newMachine, seen } from './machine.ts'
import { openRecords } from './records.ts'

/** GPUs by type. */
export type Capacity = Readonly<Record<string, number>>
export type Fleet = ReturnType<typeof openFleet>

const isPlaced = ({ state }: Machine) => state === 'starting' || state === 'running'
const full = ({ gpuType, gpuCount }: MachineSpec) =>
  failed('no_capacity', `No ${gpuCount} x ${gpuType} is free now.`)
const gone = failed('lost', 'This machine no longer exists.')

const gibibyte = 2 ** 30

const cardsOf = ([model, count]: [string, number]): Card[] =>
  Array.from({ length: count }, (_, index) => ({
    uuid: `GPU-simulated-${model.replaceAll(' ', '-')}-${index}`,
    model,
    memoryBytes: 48 * gibibyte,
  }))

/** Without a capacity there is plenty of every type. */
export function openFleet(dir: string | null, now: () => number, capacity: Capacity | null, most = 10_000) {
  const machines = openRecords(dir, isMachine)
  /** Cards in use by type; by no type, where there are none, machines. */
  const placed = new Map<string, number>()
  const takes = ({ gpuType, gpuCount }: MachineSpec): [pool: string, count: number] =>
    capacity === null ? ['', 1] : [gpuType, gpuCount]
  for (const [, machine] of machines) if (isPlaced(machine)) place(machine.spec, 1)

  function place(spec: MachineSpec, sign: 1 | -1): void {
    const [pool, count] = takes(spec)
    placed.set(pool, (placed.get(pool) ?? 0) + sign * count)
  }
  const isOffered = (gpuType: string) => capacity === null || Object.hasOwn(capacity, gpuType)
  function hasPlace(spec: MachineSpec): boolean {
    const [pool, count] = takes(spec)
    return (placed.get(pool) ?? 0) + count <= (capacity === null ? most : (capacity[pool] ?? 0))
  }

  function find(ref: Ref): Machine | undefined {
    const machine = machines.get(ref)
    return machine && machineAt(machine, now())
  }

  function change(ref: Ref, machine: Machine): Machine {
    machines.put(ref, machine)
    return machineAt(machine, now())
  }

  return {
    find,
    host: (): Host => ({
      id: 'simulated',
      machines: most,
      cpuCores: 1_000_000_000,
      memoryBytes: Number.MAX_SAFE_INTEGER,
      diskBytes: null,
      cards: capacity && Object.entries(capacity).flatMap(cardsOf),
    }),
    /** Every machine as it is now. */
    *all(): Generator<readonly [Ref, Machine]> {
      for (const [ref, machine] of machines) yield [ref, machineAt(machine, now())]
    },

    create(ref: Ref, spec: MachineSpec): Answer<Ref> {
      const { gpuType, name, storageGb, host, cards, volume } = spec
      const known = machines.get(ref)
      if (known) {
        machines.put(ref, { ...known, spec: { ...known.spec, name, storageGb, host, cards, volume } })
        return done(ref)
      }
      if (!isOffered(gpuType)) return failed('rejected', `No ${gpuType} is offered here.`)
      if (!hasPlace(spec)) return full(spec)
      machines.put(ref, newMachine(spec))
      return done(ref)
    },

    start(ref: Ref, tookMs: number): Answer<Observation> {
      let machine = find(ref)
      if (!machine) return gone
      if (machine.state === 'stopped') {
        const { spec } = machine
        if (!hasPlace(spec)) return full(spec)
        const begun = begin(machine, 'starting', now(), tookMs)
        machine = change(ref, { ...begun, volume: spec.volume ?? null })
        place(spec, 1)
      }
      return machine.state === 'running' ? done(seen(machine, now())) : notYet(machine.dueAtMs - now())
    },

    stop(ref: Ref, tookMs: number): Answer {
      let machine = find(ref)
      if (!machine) return gone
      if (isPlaced(machine)) {
        machine = change(ref, begin(machine, 'stopping', now(), tookMs))
        place(machine.spec, -1)
      }
      return machine.state === 'stopped' ? done() : notYet(machine.dueAtMs - now())
    },

    /** Of a machine that is there: what is mounted in it from now on. */
    mount(ref: Ref, volume: VolumeMount | null): void {
      const machine = find(ref)
      if (machine) machines.put(ref, { ...machine, volume })
    },

    remove(ref: Ref): void {
      const machine = machines.get(ref)
      if (!machine) return
      machines.drop(ref)
      if (isPlaced(machine)) place(machine.spec, -1)
    },
  }
}

/** The machine, or that it is gone. */
export function knownMachine(fleet: Fleet, ref: Ref): Answer<Machine> {
  const machine = fleet.find(ref)
  return machine ? done(machine) : gone
}

/** The machine when it can be used, else why not. */
export function runningMachine(fleet: Fleet, ref: Ref): Answer<Machine> {
  const machine = fleet.find(ref)
  if (!machine) return gone
  return machine.state === 'running' ? done(machine) : failed('transient', 'The machine is not running.')
}

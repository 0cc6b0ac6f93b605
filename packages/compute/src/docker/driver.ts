/**
 * The driver for a Docker Engine, on this host or another: every machine is a container, made from the image that its
 * customer chose and held to the size that was rented. Containers outlive this process and are found again by what they
 * are labelled with; two installations on one engine know nothing of each other.
 *
 * The engine starts nothing by itself, and what a customer writes never becomes a right on the engine's host
 * (`host-config.ts`). All containers share the host's kernel. Cards are the host's where the engine gives them; else they
 * are simulated and say so.
 */
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Capabilities, Driver, MachineSpec } from '../driver.ts'
import type { StoringDriver } from '../volumes.ts'
import { createAgents } from './agents.ts'
import { dockerCalls } from './calls.ts'
import { complaintOf, type Engine, type EngineOptions, openEngine } from './engine.ts'
import { type EngineCards, requestOf } from './cards.ts'
import type { Cards, Limits } from './host-config.ts'
import { createImages } from './images.ts'
import { createLife } from './life.ts'
import { type Names, namesOf } from './names.ts'
import { createNetworks, type Networks } from './networks.ts'
import { type DockerProbe, type EngineFacts, probeEngine } from './probes.ts'
import { findReached } from './reach.ts'
import { fileRecords, type MachineRecords } from './records.ts'
import { openDisk } from './disk.ts'
import { createRoom } from './room.ts'
import { createRuns, hostClock, type SteadyClock } from './runs.ts'
import { createEngineClock } from './engine-clock.ts'
import { createTerminals, type KeeperMeeting } from './terminals.ts'
import { openVolumes } from './volumes/open.ts'

export interface DockerOptions {
  readonly engine: EngineOptions
  /** Names what this installation makes on the engine: letters, digits, `_`, `.` and `-`. */
  readonly installation: string
  /** For records of machines and for the keeper of terminals: its user's alone. */
  readonly dir: string
  /** Running machines at most. */
  readonly maxMachines: number
  /** Networks of customers are blocks of this range, which nothing else on the engine's host uses. */
  readonly networkPool?: string
  /** At private addresses, `host` or `host:port`, from which images may be pulled all the same. */
  readonly registries?: readonly string[]
  /** Strangers' machines are to run here: the port on which the host is meant to be reached, or 0. Null: no stranger's. */
  readonly publicPort?: number | null
  /** Machines may run here although they reach what they should not. */
  readonly acceptsReach?: boolean
  /** A network without a machine is kept for so long. */
  readonly keptNetworkMs?: number
  /** Processes in one machine, threads included. */
  readonly maxProcesses?: number
  /** At a stop the main program is asked to end and has this long; the engine counts whole seconds. */
  readonly stopGraceMs?: number
  /** In place of those that the engine tells of: tests have none. */
  readonly cards?: EngineCards
  /** What several servers of one engine share. Without it this driver is the only one of its installation. */
  readonly shared?: SharedWithOthers
  /** Why volumes are kept by the engine alone: tests have no engine on another host. */
  readonly noHostVolumes?: string
  readonly log?: (message: string) => void
}

export interface SharedWithOthers {
  readonly records: MachineRecords
  readonly clock: SteadyClock
  readonly keeper: KeeperMeeting
}

export interface DockerDriver extends Driver, Partial<Pick<StoringDriver, 'volumes'>> {
  readonly probes: readonly DockerProbe[]
  /** Sees that the keeper of terminals is there, for servers that start none. */
  keepTerminals(): Promise<boolean>
}

const gibibyte = 2 ** 30
/** Of what machines would reach. */
const maxShown = 8
const leastMemory = 64 * 2 ** 20

export async function createDockerDriver(options: DockerOptions): Promise<DockerDriver> {
  const dir = resolve(options.dir)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const log = options.log ?? (() => {})
  const engine = openEngine(options.engine)
  const names = namesOf(options.installation)
  const pool = options.networkPool ?? '10.213.0.0/16'
  const probed = await probeEngine(engine, names, pool, !options.shared)
  const { probes } = probed
  const facts = probed.facts && { ...probed.facts, cards: options.cards ?? probed.facts.cards }
  const networks = createNetworks(engine, names, facts ? pool : '10.213.0.0/16', options.keptNetworkMs)
  if (facts && options.publicPort != null)
    probes.push(
      await probeReach({ ...options, engine, names, networks, facts, publicPort: options.publicPort }),
    )
  const records = options.shared?.records ?? fileRecords(dir)
  const clock = options.shared?.clock ?? hostClock
  const engineTime = createEngineClock(engine)
  const runs = createRuns({ records, clock, engineTime })
  const images = createImages({ engine, names, registries: options.registries ?? [], log })
  const room = createRoom(engine, names, options.maxMachines, facts)
  const volumes =
    facts &&
    (await openVolumes({
      engine,
      names,
      image: facts.image,
      tools: facts.tools,
      dir,
      address: options.engine.address,
      records,
      notHere: options.shared ? 'several servers use the engine' : (options.noHostVolumes ?? null),
      filesInUse: ref => agents.isInUse(ref),
      endFiles: ref => life.leaveFiles(ref),
      log,
    }))
  if (volumes) probes.push(volumes.probe)
  const life = createLife({
    engine,
    names,
    records,
    runs,
    volumes: volumes?.store ? volumes.machines : null,
    images,
    networks,
    tools: facts?.tools ?? '',
    cardsOf: spec => cardsOf(spec, facts),
    limitsOf: spec => limitsOf(spec, facts, options.maxProcesses ?? 4_096),
    engineTime,
    hasRoom: async () => (await room()).free > 0,
    stopGraceMs: options.stopGraceMs ?? 10_000,
    log,
  })
  const agents = createAgents(engine, ref => void life.leaveFiles(ref), log)
  const { installation, shared } = options
  const meeting = shared?.keeper ?? null
  const terminals = createTerminals({ dir, engine: options.engine, installation, meeting, log })
  const calls = dockerCalls({
    engine,
    names,
    records,
    runs,
    life,
    agents,
    terminals,
    networks,
    room,
    space: facts && volumes?.isHere ? openDisk(engine, names, dir, facts.folder) : null,
    facts,
    log,
  })
  await volumes?.sweep().catch(error => log(`volumes: ${complaintOf(error)}`))
  return {
    name: 'docker',
    probes,
    capabilities: capabilitiesOf(facts),
    keepTerminals: terminals.keep,
    ...calls,
    ...(volumes?.store && { volumes: volumes.store }),
    async close() {
      await volumes?.close().catch(error => log(`volumes: ${complaintOf(error)}`))
      await calls.close()
    },
  }
}

interface ReachNeeds extends Pick<DockerOptions, 'acceptsReach'> {
  readonly engine: Engine
  readonly names: Names
  readonly networks: Networks
  readonly facts: EngineFacts
  readonly publicPort: number
}

async function probeReach({ facts, acceptsReach = false, ...needs }: ReachNeeds): Promise<DockerProbe> {
  const probe = { name: 'reach', required: !acceptsReach }
  try {
    const found = await findReached({ ...needs, ...facts })
    if (found.length === 0)
      return { ...probe, ok: true, detail: 'nothing of the host’s and around it takes connections' }
    const shown = found.slice(0, maxShown).join(', ')
    const more = found.length > maxShown ? ` and ${found.length - maxShown} more` : ''
    return { ...probe, ok: false, detail: `machines would reach ${shown}${more}` }
  } catch (error) {
    return {
      ...probe,
      ok: false,
      detail: `what machines would reach could not be found: ${complaintOf(error)}`,
    }
  }
}

/** The rented size or the engine's, whichever is smaller: with simulated cards more is rented out than there is. */
function limitsOf(spec: MachineSpec, facts: EngineFacts | null, processes: number): Limits {
  const {
    processors = 1,
    memoryBytes = gibibyte,
    hasDiskLimit = false,
    canSetOpenFiles = false,
  } = facts ?? {}
  return {
    cpuCores: Math.min(spec.cpuCores, processors),
    memoryBytes: Math.max(leastMemory, Math.min(Math.floor(spec.memoryGb * gibibyte), memoryBytes)),
    processes,
    canSetOpenFiles,
    diskBytes: hasDiskLimit ? Math.floor(spec.storageGb * gibibyte) : null,
  }
}

/** Null: it can't have those that it should. Where cards are real, nobody gets a simulated one in the place of his. */
function cardsOf({ cards, gpuCount }: MachineSpec, facts: EngineFacts | null): Cards | null {
  const own = facts?.cards ?? null
  if (!own) return cards.length > 0 ? null : { kind: 'none' }
  return cards.length === 0 && gpuCount > 0 ? null : requestOf(own.way, cards)
}

const capabilitiesOf = (facts: EngineFacts | null): Capabilities => ({
  hardware: facts?.cards ? 'real' : 'simulated',
  shell: 'real',
  images: true,
  enforces: {
    cpu: facts?.enforces.cpu ?? false,
    memory: facts?.enforces.memory ?? false,
    processes: facts?.enforces.processes ?? false,
    disk: facts?.hasDiskLimit ?? false,
  },
  measures: { processor: true, memory: true, disk: false, network: true, cards: false },
})

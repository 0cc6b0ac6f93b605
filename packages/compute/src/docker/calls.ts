/**
 * The contract's calls on what the other files of this folder do. A call that goes wrong in a way nobody foresaw is an
 * answer too, `transient`, and a line in the log.
 */
import type { ContainerInspectInfo } from 'dockerode'
import {
  type Answer,
  done,
  type Driver,
  failed,
  type Host,
  type Listed,
  type LogLine,
  type LogOptions,
  type MachineSpec,
  notYet,
  type Observation,
  type Ref,
  type RegistryCredentials,
  type Stats,
  type TerminalSize,
  type TerminalStream,
} from '../driver.ts'
import type { DiskSpace } from '../sandbox/disk-space.ts'
import { channelCalls } from '../sandbox/channel-calls.ts'
import { createFileCalls } from '../sandbox/file-calls.ts'
import type { Channel } from '../sandbox/wire/channel.ts'
import type { ChannelRequest } from '../sandbox/wire/frames.ts'
import type { AgentRequest } from './agent/session.ts'
import type { Agents } from './agents.ts'
import { complaintOf, type Engine, unlessMissing, unreachable } from './engine.ts'
import { type Life, lost } from './life.ts'
import { endOf, readLog, sinceOf } from './logs.ts'
import { isId, labels, type Names } from './names.ts'
import type { Networks } from './networks.ts'
import { besideSuffix } from './made-anew.ts'
import type { EngineFacts } from './probes.ts'
import type { MachineRecords } from './records.ts'
import type { Room } from './room.ts'
import type { Runs } from './runs.ts'
import { statsOf } from './stats.ts'
import type { Terminals } from './terminals.ts'
import { isOlder, variablesOf } from './variables.ts'

export interface Parts {
  readonly engine: Engine
  readonly names: Names
  readonly records: MachineRecords
  readonly runs: Runs
  readonly life: Life
  readonly agents: Agents
  readonly terminals: Terminals
  readonly networks: Networks
  readonly room: () => Promise<Room>
  /** Null: nothing is known of its disk. */
  readonly space: DiskSpace | null
  /** Null: it is not offered. */
  readonly facts: EngineFacts | null
  readonly log: (message: string) => void
}

type Calls = Omit<Driver, 'name' | 'probes' | 'capabilities'>
type Found = ContainerInspectInfo

const machineOf = (name: string): Ref =>
  name.endsWith(besideSuffix) ? name.slice(0, -besideSuffix.length) : name

/** Containers that are asked about at once. */
const listedAtOnce = 16
const notRunning = () => failed('rejected', 'The instance is not running.')

export function dockerCalls(parts: Parts): Calls {
  const { engine, names, records, runs, life, agents, terminals, networks, room, space, facts, log } = parts

  function unforeseen(ref: Ref | null, error: unknown): Answer<never> {
    log(`${ref === null ? 'machines' : `machine ${ref.slice(0, 64)}`}: ${complaintOf(error)}`)
    return unreachable()
  }

  /** Acts only on what may be a machine. */
  const known = <T>(
    ref: Ref,
    act: () => Promise<Answer<T>>,
    absent: () => Answer<T> = lost,
  ): Promise<Answer<T>> =>
    isId(ref) ? act().catch(error => unforeseen(ref, error)) : Promise.resolve(absent())

  /** Acts only on a machine that runs. */
  const running = <T>(
    ref: Ref,
    act: (found: Found, seen: Observation) => Promise<Answer<T>>,
  ): Promise<Answer<T>> =>
    known(ref, async () => {
      const found = await life.find(ref)
      if (!found) return lost()
      const seen = await life.observed(ref, found)
      return seen.state === 'running' ? act(found, seen) : notRunning()
    })

  async function create(
    spec: MachineSpec,
    key: string,
    access: RegistryCredentials | null = null,
  ): Promise<Answer<Ref>> {
    if (!isId(key)) return failed('rejected', 'This machine’s id can’t be used here.')
    if (!facts) return failed('denied', 'This region’s container engine can’t be used.')
    return life.create(key, spec, access)
  }

  async function inventory(): Promise<Answer<readonly Host[]>> {
    const { running, free } = await room()
    if (!facts) return done([])
    const { id, processors, memoryBytes } = facts
    const cards = (await facts.cards?.list()) ?? null
    const diskBytes = (await space?.bytes()) ?? null
    return done([{ id, machines: running + free, cpuCores: processors, memoryBytes, diskBytes, cards }])
  }

  async function list(): Promise<Answer<readonly Listed[]>> {
    const all = await engine.calls.listContainers({ all: true, filters: names.filter })
    const prefix = names.container('')
    const found = all.flatMap(({ Id, Labels, Names }) => {
      const name = Names.find(each => each.startsWith(`/${prefix}`))?.slice(prefix.length + 1)
      const instanceId = Labels[labels.instance]
      return name && instanceId ? [{ Id, name, ref: machineOf(name), instanceId }] : []
    })
    const byName = new Set(found.map(({ name }) => name))
    // One that was made beside a machine's own is the machine only when that is gone.
    const machines = found.filter(({ name, ref }) => name === ref || !byName.has(ref))
    await records.sweep(new Set(machines.map(({ ref }) => ref)))
    void networks.sweep().catch(error => log(complaintOf(error)))
    const listed: (Listed | null)[] = []
    for (let from = 0; from < machines.length; from += listedAtOnce) {
      const some = machines.slice(from, from + listedAtOnce)
      listed.push(...(await Promise.all(some.map(lookAt))))
    }
    return done(listed.filter(machine => machine !== null))
  }

  /** Null: it was removed meanwhile. */
  async function lookAt({
    Id,
    ref,
    instanceId,
  }: {
    Id: string
    ref: Ref
    instanceId: string
  }): Promise<Listed | null> {
    const found = await unlessMissing(engine.calls.getContainer(Id).inspect())
    return found && { ref, instanceId, ...(await life.observed(ref, found)) }
  }

  const attach = (ref: Ref, terminalId: string, size: TerminalSize): Promise<Answer<TerminalStream>> =>
    running(ref, () => terminals.attach(ref, terminalId, size))

  /** To the agent in a running machine. */
  const whileRunning = (ref: Ref, request: ChannelRequest): Promise<Answer<Channel>> =>
    running(ref, found => agents.ask(ref, found.Id, withVariables(found, request)))

  /** Or to the one in a container that runs for the files of a machine that is stopped. */
  const always = (ref: Ref, request: ChannelRequest): Promise<Answer<Channel>> =>
    known(ref, async () => {
      const found = await life.find(ref)
      if (!found) return lost()
      const seen = await life.observed(ref, found)
      if (seen.state === 'running') return agents.ask(ref, found.Id, withVariables(found, request))
      if (seen.state !== 'stopped') return notYet(200)
      const begun = await life.beginFiles(ref)
      return begun.kind === 'done' ? agents.ask(ref, begun.value, request, true) : begun
    })

  const { exec, connect } = channelCalls({
    whileRunning,
    always,
    connect: (ref, port) => running(ref, found => agents.connect(ref, found.Id, port)),
  })
  const files = createFileCalls((ref, call) => always(ref, { kind: 'files', call }))

  const logs = (ref: Ref, options: LogOptions = {}) =>
    known(ref, async () => {
      const found = await life.find(ref)
      if (!found) return lost()
      const isLive = found.State.Running && !(await runs.isForFiles(ref, found.State))
      const follow = options.follow && isLive ? 1 : 0
      const since = sinceOf(options.since ?? 0)
      const stream = await engine.read(
        `/containers/${found.Id}/logs?stdout=1&stderr=1&timestamps=1&follow=${follow}&since=${since}`,
      )
      return done(readLog(stream, options, () => lastWord(ref)))
    })

  /** Only of what ended by itself: whoever stopped it knows. */
  async function lastWord(ref: Ref): Promise<LogLine | null> {
    const found = await life.find(ref).catch(() => null)
    if (!found || (await life.observed(ref, found)).run?.end?.cause !== 'inside') return null
    return endOf(found.State)
  }

  const stats = (ref: Ref): Promise<Answer<Stats>> =>
    running(ref, async found => {
      const { NanoCpus = 0, Memory = 0 } = found.HostConfig
      const own = await agents.ownMs(ref, found.Id)
      const measured = await engine.calls.getContainer(found.Id).stats({ stream: false, 'one-shot': true })
      return done(statsOf(measured, NanoCpus / 1e9, Memory, own))
    })

  return {
    inventory: () => inventory().catch(error => unforeseen(null, error)),
    create: (spec, key, access) => create(spec, key, access).catch(error => unforeseen(key, error)),
    observe: ref =>
      known(
        ref,
        async () => done(await life.observe(ref)),
        () => done(runs.gone()),
      ),
    start: ref => known(ref, () => life.start(ref)),
    stop: ref => known(ref, () => life.stop(ref)),
    destroy: ref =>
      known(
        ref,
        () => life.destroy(ref),
        () => done(),
      ),
    attach,
    exec,
    connect,
    logs,
    stats,
    files,
    cpuTime: async ref => {
      const answer = await stats(ref)
      if (answer.kind !== 'done') return answer
      const { processor } = answer.value
      return processor ? done(processor.usedMs) : failed('transient', 'The host can’t tell this right now.')
    },
    list: () => list().catch(error => unforeseen(null, error)),
    close: async () => {
      space?.close()
      terminals.close()
      agents.close()
      life.close()
    },
  }
}

/** Programs get what the main program has. The agent of a container that has no arguments knows it by itself. */
function withVariables({ Config }: Found, request: ChannelRequest): AgentRequest {
  if (request.kind !== 'exec' || !isOlder(Config)) return request
  const set = Object.fromEntries(variablesOf(Config).map(split))
  return { ...request, env: { ...(request.size && { TERM: 'xterm-256color' }), ...set, ...request.env } }
}

const split = (pair: string): [string, string] => {
  const at = pair.indexOf('=', 1)
  return [pair.slice(0, at), pair.slice(at + 1)]
}

/**
 * Connections to the agents in machines (`agent/agent.ts`): one for each machine that something is asked of, begun with
 * the first request and given up some time after the last. An agent is a program that the engine runs in the container;
 * it ends with its connection, and so does all that was run through it.
 */
import { type ClientHttp2Session, connect } from 'node:http2'
import { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, done, failed, type Ref } from '../driver.ts'
import { createTurns } from '../sandbox/turns.ts'
import { mapped, refusals } from '../sandbox/agreed.ts'
import { type Channel, openChannel } from '../sandbox/wire/channel.ts'
import { Connection } from '../sandbox/wire/connection.ts'
import { askOn, type Contact } from '../sandbox/wire/contact.ts'
import {
  type AgentRequest,
  own,
  session as limits,
  sessionWindowBytes,
  toolsFolder,
} from './agent/session.ts'
import { demux } from './demux.ts'
import { complaintOf, type Engine } from './engine.ts'

/** A running machine's agent takes some 50 MB of its memory. */
const idleMs = 60_000
/** A stopped machine's container runs for it. */
const idleFilesMs = 5_000
const answerMs = 4_000
const beginMs = 4_000
const maxComplaint = 2_000

/** What a customer may have set that would have a say in the agent itself. */
const unset = [
  'NODE_OPTIONS',
  'NODE_PATH',
  'NODE_EXTRA_CA_CERTS',
  'LD_PRELOAD',
  'LD_AUDIT',
  'LD_LIBRARY_PATH',
]
const program = [...own('node'), '--max-old-space-size=96', `${toolsFolder}/app/docker/agent/agent.mjs`]
const settings = {
  AttachStdin: true,
  AttachStdout: true,
  AttachStderr: true,
  Tty: false,
  Env: [
    ...unset.map(name => `${name}=`),
    `OPENSSL_CONF=${toolsFolder}/openssl.cnf`,
    `AGENT_UNSETS=${[...unset, 'OPENSSL_CONF'].join(',')}`,
  ],
}

interface Agent {
  readonly session: ClientHttp2Session
  readonly isForFiles: boolean
  open: number
  unusedSince: number
  /** Told by the agent itself: what it has taken of the machine's processor time. */
  ownMs: number
}

export type Agents = ReturnType<typeof createAgents>

/** `top`: of those for files, the folder that holds all they may find. */
export function createAgents(
  engine: Engine,
  onUnused: (ref: Ref) => void,
  log: (message: string) => void,
  top?: string,
) {
  const inTurn = createTurns()
  /** By container and not by machine: a new run has no agent yet, but its container is the same. */
  const agents = new Map<Ref, Agent>()
  const sweeper = setInterval(sweep, 1_000).unref()

  function sweep(): void {
    for (const [ref, agent] of agents) {
      const limit = agent.isForFiles ? idleFilesMs : idleMs
      if (agent.open === 0 && performance.now() - agent.unusedSince > limit) drop(ref)
    }
  }

  function drop(ref: Ref): void {
    const agent = agents.get(ref)
    agents.delete(ref)
    agent?.session.destroy()
    if (agent?.isForFiles) onUnused(ref)
  }

  const agentOf = (ref: Ref, containerId: string, isForFiles: boolean): Promise<Agent> =>
    inTurn(ref, async () => {
      const known = agents.get(ref)
      if (known && !known.session.destroyed && known.isForFiles === isForFiles) return known
      known?.session.destroy()
      const session = await begin(ref, containerId, isForFiles)
      const agent = { session, isForFiles, open: 0, unusedSince: performance.now(), ownMs: 0 }
      agents.set(ref, agent)
      session.once('close', () => {
        if (agents.get(ref) === agent) drop(ref)
      })
      return agent
    })

  async function begin(ref: Ref, containerId: string, isForFiles: boolean): Promise<ClientHttp2Session> {
    const Cmd = isForFiles ? [...program, '--files', ...(top ? [top] : [])] : program
    const { id } = await engine.calls.getContainer(containerId).exec({ ...settings, Cmd })
    const raw = await engine.hijack(`/exec/${id}/start`, { Detach: false, Tty: false })
    let complaint = ''
    const output = raw.pipe(
      demux(part => {
        complaint = (complaint + part.toString()).slice(-maxComplaint)
      }),
    )
    const duplex = Duplex.from({ readable: output, writable: raw })
    for (const stream of [raw, output, duplex]) stream.on('error', () => raw.destroy())
    raw.once('close', () => output.end())
    const session = connect('http://agent', { createConnection: () => duplex, ...limits })
    session.on('error', () => session.destroy())
    session.once('close', () => {
      raw.destroy()
      if (complaint) log(`machine ${ref}: its agent: ${complaint}`)
    })
    const settled = Promise.withResolvers<void>()
    session.once('remoteSettings', () => settled.resolve())
    session.once('close', () => settled.reject(new Error(`the agent ended: ${complaint}`)))
    const late = sleep(beginMs, null, { ref: false }).then(() =>
      settled.reject(new Error('the agent does not answer')),
    )
    void late
    try {
      await settled.promise
    } catch (error) {
      session.destroy()
      throw error
    }
    session.setLocalWindowSize(sessionWindowBytes)
    session.unref()
    return session
  }

  /** Asks the agent in this container one thing. */
  async function reach(
    ref: Ref,
    containerId: string,
    request: AgentRequest,
    isForFiles = false,
  ): Promise<Answer<Contact>> {
    let agent: Agent
    try {
      agent = await agentOf(ref, containerId, isForFiles)
    } catch (error) {
      log(`machine ${ref}: ${complaintOf(error)}`)
      return failed('transient', 'The instance can’t start another process. End some of its programs first.')
    }
    const stream = agent.session.request({ ':method': 'POST', ':path': '/' }, { endStream: false })
    agent.open++
    stream.once('close', () => {
      agent.open--
      agent.unusedSince = performance.now()
    })
    const contact = await askOn(stream, request, answerMs)
    if (!contact) return failed('transient', 'The instance does not answer.')
    if (contact.reply.ok) return done(contact)
    stream.destroy()
    return refusals[contact.reply.error]
  }
  const ask = async (...asked: Parameters<typeof reach>): Promise<Answer<Channel>> =>
    mapped(await reach(...asked), openChannel)

  /** Processor time of this run that our own program has taken. One that has ended is forgotten. */
  async function ownMs(ref: Ref, containerId: string): Promise<number> {
    const agent = agents.get(ref)
    if (!agent || agent.session.destroyed || agent.isForFiles) return 0
    const usedBefore = agent.unusedSince
    const asked = await ask(ref, containerId, { kind: 'usage' })
    const said = asked.kind === 'done' ? ((await asked.value.result) as { ownMs?: unknown } | null) : null
    // To be asked for this is no use.
    agent.unusedSince = usedBefore
    // A customer may have taken it over: more than it ever took before is all that he gains.
    if (typeof said?.ownMs === 'number' && said.ownMs >= 0) agent.ownMs = said.ownMs
    return agent.ownMs
  }

  return {
    ask,
    /** To a port of it. */
    connect: async (ref: Ref, containerId: string, port: number): Promise<Answer<Connection>> =>
      mapped(await reach(ref, containerId, { kind: 'connect', port }), contact => new Connection(contact)),
    ownMs,
    /** Something is asked of it now. */
    isInUse: (ref: Ref): boolean => (agents.get(ref)?.open ?? 0) > 0,
    drop,
    close(): void {
      clearInterval(sweeper)
      for (const ref of agents.keys()) drop(ref)
    },
  }
}

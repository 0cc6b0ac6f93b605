/**
 * Connections to programs in machines, made by the driver and by nothing else: no name is resolved and no address dialled
 * here. They are used again while they are fresh; one that its program has closed meanwhile is noticed by whoever uses it.
 */
import { Agent, type AgentOptions, type ClientRequest, type RequestOptions } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Driver } from '@ingot/compute/driver'

/** Nothing could be reached, in words for whoever asked. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
  /** The machine answers, and no program listens on the port. */
  readonly isSilent: boolean
  constructor(message: string, isSilent: boolean) {
    super(message)
    this.isSilent = isSilent
  }
}

export interface Upstream {
  readonly driver: Driver
  readonly ref: string
  readonly port: number
}

export async function connect({ driver, ref, port }: Upstream): Promise<Duplex> {
  const answer = await driver.connect(ref, port)
  if (answer.kind === 'done') return answer.value
  if (answer.kind === 'not_yet') throw new Unreachable('The machine is not ready yet.', false)
  throw new Unreachable(answer.message, answer.failure === 'rejected')
}

/** One of its own, which is used once. */
export const freshly = (to: Upstream): Pick<RequestOptions, 'createConnection'> => ({
  createConnection(_, then) {
    connect(to).then(
      stream => then(null, stream),
      (error: Error) => then(error, undefined as never),
    )
    return undefined
  },
})

/** Servers close what is idle after five seconds and more. */
const freshMs = 4_000
const mostIdle = 64
const restMs = 60_000

/** A driver's connection is no socket: nobody is at the other end of what an agent asks one for. */
function asSocket(stream: Duplex): Duplex {
  const given = stream as unknown as Record<string, unknown>
  for (const name of ['setKeepAlive', 'setTimeout', 'ref', 'unref']) given[name] ??= () => stream
  return stream
}

class PortAgent extends Agent {
  usedAt = Date.now()
  readonly #to: Upstream
  readonly #idle = new Map<Duplex, NodeJS.Timeout>()

  constructor(to: Upstream) {
    super({ keepAlive: true, maxFreeSockets: mostIdle } satisfies AgentOptions)
    this.#to = to
  }
  override createConnection(
    _: unknown,
    then?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    connect(this.#to).then(
      stream => {
        stream.once('close', () => this.#wake(stream))
        then!(null, asSocket(stream))
      },
      (error: Error) => then!(error, undefined as never),
    )
    return undefined
  }
  override keepSocketAlive(stream: Duplex): boolean {
    if ((super.keepSocketAlive(stream) as unknown) === false) return false
    this.#idle.set(
      stream,
      setTimeout(() => stream.destroy(), freshMs),
    )
    return true
  }
  override reuseSocket(stream: Duplex, request: ClientRequest): void {
    this.#wake(stream)
    super.reuseSocket(stream, request)
  }
  #wake(stream: Duplex): void {
    clearTimeout(this.#idle.get(stream))
    this.#idle.delete(stream)
  }
}

export interface Upstreams {
  agent(to: Upstream): Agent
  close(): void
}

export function createUpstreams(): Upstreams {
  const agents = new Map<string, PortAgent>()
  const sweep = setInterval(() => {
    for (const [key, agent] of agents)
      if (agent.usedAt < Date.now() - restMs && Object.keys(agent.sockets).length === 0) agents.delete(key)
  }, restMs).unref()
  return {
    agent(to) {
      const key = `${to.driver.name}\n${to.ref}\n${to.port}`
      let agent = agents.get(key)
      if (!agent) agents.set(key, (agent = new PortAgent(to)))
      agent.usedAt = Date.now()
      return agent
    },
    close() {
      clearInterval(sweep)
      for (const agent of agents.values()) agent.destroy()
    },
  }
}

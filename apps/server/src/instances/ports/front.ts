/**
 * Stands before the product on its one listener and decides by the name in `Host` alone whose a request is: a port's, the
 * product's, or nobody's (421). A port's origin has no call of the API and no page of the console, and theirs no port.
 * Nothing that asks for a port reaches the product's code.
 */
import { EventEmitter } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Duplex } from 'node:stream'
import type { Region } from '../../catalog/regions.ts'
import type { Config } from '../../config.ts'
import type { Vault } from '../../vault.ts'
import { createRooms } from '../ssh/rooms.ts'
import { typingNoter, type TypingNeeds } from '../typing.ts'
import { createAccess } from './access.ts'
import { createHosts, type PortName } from './address.ts'
import { type Admitted, createAdmit, isNotice } from './admit.ts'
import { enterPath, findShare, takeTicket } from './enter-port.ts'
import { notices, say } from './notices.ts'
import { createPasses } from './pass.ts'
import { isRead, Over, relayRequest } from './relay-request.ts'
import { refuse, relaySocket } from './relay-socket.ts'
import { createUpstreams } from './upstream.ts'

interface FrontNeeds extends TypingNeeds {
  readonly config: Config
  readonly regions: readonly Region[]
  readonly vault: Vault
}

export interface Front {
  /** A server that hands the product's requests to `product`. */
  serve(product: RequestListener): Server
  /** Takes over the upgrades of that server; those of the product are told by `upgrades`. */
  takeUpgrades(server: Server): void
  readonly upgrades: EventEmitter
  /** Ends what is open. */
  close(): void
}

/** Requests and WebSockets that are open at once. */
const limits = { mostPerInstance: 128, mostPerUser: 512 }
const mostNoters = 10_000
/** Of the product's; a port's may be sent for as long as they take. */
const bodyMs = 30_000
const headMs = 30_000
const longestSecret = 100

export function createFront(needs: FrontNeeds): Front {
  const { config, database, log } = needs
  const access = createAccess(database, log)
  const passes = createPasses(needs.vault, { isSecure: config.publicUrl.startsWith('https:') })
  const admit = createAdmit({ ...needs, access, passes })
  const hostOf = createHosts(config)
  const rooms = createRooms(limits)
  const upstreams = createUpstreams()
  const upgrades = new EventEmitter()
  /** What ends each request and WebSocket that is open. */
  const ends = new Set<() => void>()
  const noters = new Map<string, () => void>()

  function noterOf(instanceId: string): () => void {
    let noter = noters.get(instanceId)
    if (!noter) {
      if (noters.size >= mostNoters) noters.clear()
      noters.set(instanceId, (noter = typingNoter(needs, instanceId, 'request')))
    }
    return noter
  }

  /** With a place, and watched, until it resolves; false: there is no place. */
  async function hold({ standing, visit }: Admitted, relay: (over: Over) => Promise<void>): Promise<boolean> {
    const leave = rooms.take(standing)
    if (!leave) return false
    const over = new Over()
    const end = () => over.end()
    ends.add(end)
    const unwatch = access.watched.watch(visit, end)
    try {
      await relay(over)
    } finally {
      unwatch()
      leave()
      ends.delete(end)
    }
    return true
  }

  async function answer(request: IncomingMessage, response: ServerResponse, name: PortName): Promise<void> {
    if (!isSound(request)) return say(request, response, notices.bad)
    if (request.url === enterPath || request.url!.startsWith(`${enterPath}?`))
      return enter(request, response, name)
    const admitted = await admit(request, name)
    if (isNotice(admitted)) return say(request, response, admitted)
    if (!isRead(request)) noterOf(admitted.standing.instanceId)()
    const isHeld = await hold(admitted, over =>
      relayRequest({ upstreams, passes }, request, response, admitted, over),
    )
    if (!isHeld) say(request, response, notices.full)
  }

  async function enter(request: IncomingMessage, response: ServerResponse, name: PortName): Promise<void> {
    if (request.method !== 'GET') return say(request, response, notices.bad)
    const dest = request.headers['sec-fetch-dest']
    if (dest !== undefined && dest !== 'document') return say(request, response, notices.elsewhere)
    if (!(await access.of({ ...name, pass: null }))) return say(request, response, notices.misdirected)
    const given = new URL(request.url!, 'http://port').searchParams
    const [ticket, share] = [given.get('ticket'), given.get('share')].map(text =>
      text !== null && text.length <= longestSecret ? text : null,
    )
    const entry =
      (ticket ? await takeTicket(database.kysely, name, ticket) : null) ??
      (share ? await findShare(database.kysely, name, share) : null)
    if (!entry) return say(request, response, notices.used)
    const pass = { ...entry.holder, instanceId: entry.instanceId, port: name.port }
    // What was in the address stands in no history, log or `Referer` from here on.
    response.writeHead(303, {
      location: entry.path,
      'set-cookie': passes.cookie(pass, entry.expiresAt),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    })
    response.end()
  }

  async function upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    name: PortName,
  ): Promise<void> {
    if (!isSound(request) || request.method !== 'GET') return refuse(socket, notices.bad)
    const admitted = await admit(request, name)
    if (isNotice(admitted)) return refuse(socket, admitted)
    const onMessage = noterOf(admitted.standing.instanceId)
    const isHeld = await hold(admitted, over =>
      relaySocket({ passes }, request, socket, head, admitted, { over, onMessage }),
    )
    if (!isHeld) refuse(socket, notices.full)
  }

  return {
    upgrades,
    serve(product) {
      const server = createServer(
        {
          // A port's requests have no limit of time; `limitBody` keeps the product's.
          requestTimeout: 0,
          headersTimeout: headMs,
          keepAliveTimeout: 72_000,
          shouldUpgradeCallback: request => request.headers.upgrade?.toLowerCase() === 'websocket',
        },
        (request, response) => {
          const whose = hostOf(request.headers.host)
          if (whose === 'console') {
            limitBody(request)
            return product(request, response)
          }
          if (whose === 'unknown') return say(request, response, notices.misdirected)
          answer(request, response, whose).catch((error: unknown) => {
            log.warn({ err: error }, 'a request to a port failed')
            if (response.headersSent) response.destroy()
            else say(request, response, notices.broken(whose.port))
          })
        },
      )
      return server
    },
    takeUpgrades(server) {
      server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        const whose = hostOf(request.headers.host)
        if (whose === 'console')
          return void (upgrades.emit('upgrade', request, socket, head) || socket.destroy())
        socket.on('error', () => socket.destroy())
        if (whose === 'unknown') return refuse(socket, notices.misdirected)
        upgrade(request, socket, head, whose).catch((error: unknown) => {
          log.warn({ err: error }, 'a WebSocket to a port failed')
          socket.destroy()
        })
      })
    },
    close() {
      for (const end of ends) end()
      upstreams.close()
    },
  }
}

/** One name, and an address of its own: whoever stands between must not read another one than we do. */
function isSound({ url, rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.toLowerCase() === 'host') hosts++
  return hosts === 1 && (url!.startsWith('/') || url === '*')
}

/** A body that is sent too slowly ends its connection. */
export function limitBody(request: IncomingMessage, withinMs = bodyMs): void {
  const { headers } = request
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return
  const timer = setTimeout(() => {
    if (request.complete || request.socket.destroyed) return
    request.socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n')
    request.socket.destroySoon()
  }, withinMs)
  request.once('close', () => clearTimeout(timer))
}

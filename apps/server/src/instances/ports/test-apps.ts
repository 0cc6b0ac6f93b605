/** Machines whose ports lead to programs of the test, and a browser that knows nothing but HTTP. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type Driver, done, failed } from '@ingot/compute/driver'
import { createSimulatedDriver } from '@ingot/compute/simulated/driver'
import { afterAll, beforeAll } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { DriverName } from '../../config.ts'
import { type TestServer, type TestUser, until } from '../../product/test-server.ts'
import { a40 } from '../test-rows.ts'

export const programPort = 8888
export const silentPort = 9999

/** Every machine has this one program. */
export interface Program {
  readonly server: Server
  /** What it does with a request beside `/echo`. */
  on: (request: IncomingMessage, response: import('node:http').ServerResponse) => void
  /** Connections that were made to it. */
  readonly sockets: Socket[]
}

export function useProgram(): Program {
  const sockets: Socket[] = []
  const program: Program = {
    server: createServer((incoming, response) => {
      if (!incoming.url!.startsWith('/echo')) return program.on(incoming, response)
      const parts: Buffer[] = []
      incoming.on('data', (part: Buffer) => parts.push(part))
      incoming.on('end', () => {
        response.setHeader('content-type', 'application/json')
        response.end(
          JSON.stringify({
            method: incoming.method,
            url: incoming.url,
            headers: incoming.headers,
            body: Buffer.concat(parts).toString(),
          }),
        )
      })
    }),
    on: (_, response) => void response.end('hello'),
    sockets,
  }
  const echo = new WebSocketServer({ noServer: true })
  program.server.on('upgrade', (incoming: IncomingMessage, socket, head) =>
    echo.handleUpgrade(incoming, socket, head, ws => {
      ws.send(JSON.stringify({ origin: incoming.headers.origin, host: incoming.headers.host }))
      ws.on('message', (data, isBinary) => ws.send(data, { binary: isBinary }))
    }),
  )
  program.server.on('connection', socket => sockets.push(socket))
  beforeAll(() => new Promise<void>(resolve => program.server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => {
    program.server.closeAllConnections()
    for (const socket of sockets) socket.destroy()
    program.server.close()
  })
  return program
}

export const machinesOf = (program: Program) => (now: () => number) => {
  const simulated = createSimulatedDriver({
    dir: null,
    now,
    startMs: 0,
    stopMs: 0,
    wait: (_ms, then) => (setImmediate(then), () => {}),
  })
  const driver: Driver = {
    ...simulated,
    async connect(_ref, port) {
      if (port !== programPort) return failed('rejected', `Nothing listens on port ${port}.`)
      return done(connect((program.server.address() as AddressInfo).port, '127.0.0.1'))
    },
  }
  return new Map([['simulated' as DriverName, driver]])
}

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface Box {
  readonly id: string
  readonly user: TestUser
  readonly host: (port?: number) => string
  /** The cookie of a browser that its owner opened the port in. */
  readonly enter: (port?: number) => Promise<string>
}

export function visitors(server: TestServer) {
  const listens = () => Number(new URL(server.url).port)

  /** `host` decides whose it is; the connection goes to the one listener. */
  const send = (
    host: string,
    path: string,
    {
      method = 'GET',
      headers = {},
      body,
    }: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const going = request(
        { host: '127.0.0.1', port: listens(), method, path, headers: { host, ...headers } },
        response => {
          const parts: Buffer[] = []
          response.on('data', (part: Buffer) => parts.push(part))
          response.on('end', () =>
            resolve({
              status: response.statusCode!,
              headers: response.headers,
              text: Buffer.concat(parts).toString(),
            }),
          )
          response.on('error', reject)
        },
      )
      going.on('error', reject)
      going.end(body)
    })

  /** Bytes as they are; all that comes back until the other side ends, or for a second. */
  const sendRaw = (text: string): Promise<string> =>
    new Promise(resolve => {
      const socket = connect(listens(), '127.0.0.1')
      let all = ''
      const end = () => {
        socket.destroy()
        resolve(all)
      }
      const timer = setTimeout(end, 1_000)
      socket.on('data', part => (all += part.toString('latin1')))
      socket.on('error', end)
      socket.on('close', () => {
        clearTimeout(timer)
        end()
      })
      socket.write(text)
    })

  const openSocket = (host: string, headers: Record<string, string>) => {
    const socket = new WebSocket(`ws://127.0.0.1:${listens()}/ws`, { headers: { host, ...headers } })
    const received: string[] = []
    const seen = { closed: false }
    socket.on('message', (data: Buffer) => received.push(data.toString()))
    socket.on('close', () => (seen.closed = true))
    const status = new Promise<number>(resolve => {
      socket.once('unexpected-response', (_, response) => resolve(response.statusCode ?? 0))
      socket.once('open', () => resolve(101))
      socket.on('error', () => {})
    })
    return { socket, received, seen, status }
  }

  async function box(
    user: TestUser,
    { ports = [programPort], running = true }: { ports?: number[]; running?: boolean } = {},
  ): Promise<Box> {
    const { id } = await user.client.instances.create(a40({ ports, start: running }))
    if (running)
      await until(
        () => user.client.instances.get({ id }),
        each => each.status === 'running',
      )
    const { user: ssh } = await user.client.instances.ssh({ id })
    const host = (port = programPort) => `${port}-${ssh}.apps.localhost:${listens()}`
    return {
      id,
      user,
      host,
      async enter(port = programPort) {
        const { url } = await user.client.instances.openPort({ id, port })
        return cookieOf(await send(host(port), pathOf(url)))
      },
    }
  }
  return { send, sendRaw, openSocket, box }
}

export const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return pathname + search
}

export function cookieOf({ status, headers }: Answered): string {
  if (status !== 303) throw new Error(`no way in: ${status}`)
  return headers['set-cookie']![0]!.split(';')[0]!
}

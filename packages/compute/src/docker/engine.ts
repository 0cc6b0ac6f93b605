/**
 * The container engine: how it is reached, and what its refusals mean. Plain calls end within seconds whatever the
 * engine does; what may take longer (a pull, a stop with its grace) goes over `patient`, and nobody waits for it.
 */
import { readFileSync } from 'node:fs'
import { request as plain, type RequestOptions } from 'node:http'
import { request as secure } from 'node:https'
import type { Duplex, Readable } from 'node:stream'
import Docker from 'dockerode'
import { type Answer, failed } from '../driver.ts'

export interface EngineOptions {
  /** `unix:///var/run/docker.sock`, or `tcp://host:2376` with TLS. */
  readonly address: string
  /** Files in PEM. Without them a TCP address is refused, unless it is this host's own loopback. */
  readonly tls?: { readonly caFile: string; readonly certFile: string; readonly keyFile: string } | null
}

export interface Engine {
  readonly calls: Docker
  readonly patient: Docker
  /**
   * A request that becomes a stream both ways. Ending it ends the program's input; it ends when the program has ended.
   * Written here because the client sends a body with every request, and what the engine does not read of it becomes
   * the program's input.
   */
  hijack(path: string, body: object | null): Promise<Duplex>
  /** What it answers, as it comes: the client would collect it. */
  read(path: string): Promise<Readable>
}

/** Of a plain call. The contract wants an answer within seconds. */
const callMs = 4_000
const openMs = 4_000
const loopback = new Set(['localhost', '127.0.0.1', '[::1]'])

export function openEngine({ address, tls = null }: EngineOptions): Engine {
  const target = targetOf(address, tls)
  const client = (timeout?: number) => new Docker({ ...target, timeout })
  return {
    calls: client(callMs),
    patient: client(),
    hijack: (path, body) => open(target, path, body),
    read: path => open(target, path, null, 'GET'),
  }
}

interface Target {
  readonly socketPath?: string
  readonly protocol: 'http' | 'https'
  readonly host?: string
  readonly port?: number
  readonly ca?: Buffer
  readonly cert?: Buffer
  readonly key?: Buffer
}

function targetOf(address: string, tls: EngineOptions['tls']): Target {
  const url = new URL(address)
  if (url.protocol === 'unix:') return { protocol: 'http', socketPath: url.pathname }
  if (url.protocol !== 'tcp:') throw new Error('an engine’s address begins with unix:// or tcp://')
  const place = {
    host: url.hostname.replaceAll(/^\[|\]$/g, ''),
    port: Number(url.port || (tls ? 2376 : 2375)),
  }
  if (tls)
    return {
      ...place,
      protocol: 'https',
      ca: readFileSync(tls.caFile),
      cert: readFileSync(tls.certFile),
      key: readFileSync(tls.keyFile),
    }
  // Whoever can speak to an engine owns its host.
  if (!loopback.has(url.hostname)) throw new Error('an engine on another host is reached with TLS alone')
  return { ...place, protocol: 'http' }
}

/** A stream both ways, or with `GET` the answer's body. */
function open(target: Target, path: string, body: object | null, method?: 'POST'): Promise<Duplex>
function open(target: Target, path: string, body: null, method: 'GET'): Promise<Readable>
function open(
  { protocol, ...place }: Target,
  path: string,
  body: object | null,
  method: 'GET' | 'POST' = 'POST',
): Promise<Readable> {
  const data = Buffer.from(body === null ? '' : JSON.stringify(body))
  const upgrade = { Connection: 'Upgrade', Upgrade: 'tcp', 'Content-Type': 'application/json' }
  const headers = { ...(method === 'POST' ? upgrade : {}), 'Content-Length': data.length }
  const options: RequestOptions = { ...place, method, path, agent: false, headers }
  return new Promise((resolve, reject) => {
    const request = (protocol === 'https' ? secure : plain)(options)
    const timer = setTimeout(() => request.destroy(new Error('the engine does not answer')), openMs)
    const settle = (act: () => void) => {
      clearTimeout(timer)
      act()
    }
    request.once('upgrade', (_response, socket, head) => {
      if (head.length > 0) socket.unshift(head)
      settle(() => resolve(socket))
    })
    request.once('response', response => {
      if (method === 'GET' && response.statusCode === 200) return settle(() => resolve(response))
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => void chunks.push(chunk))
      response.once('close', () => {
        const text = Buffer.concat(chunks).toString().slice(0, 1_000)
        settle(() => reject(new EngineRefusal(response.statusCode ?? 0, text)))
      })
    })
    request.once('error', error => settle(() => reject(error)))
    request.end(data)
  })
}

class EngineRefusal extends Error {
  readonly statusCode: number

  constructor(statusCode: number, message: string) {
    super(message)
    this.statusCode = statusCode
  }
}

/** The HTTP status that the engine refused with; null: it gave no answer. */
export function statusOf(error: unknown): number | null {
  const { statusCode } = error as { statusCode?: unknown }
  return typeof statusCode === 'number' ? statusCode : null
}

/** The value, or null where there is no such thing. */
export const unlessMissing = <T>(call: Promise<T>): Promise<T | null> =>
  call.catch((error: unknown) => {
    if (statusOf(error) === 404) return null
    throw error
  })

export const unreachable = (): Answer<never> =>
  failed('transient', 'The host’s container engine does not answer right now.')

/** For whoever runs the service: the engine's own words, which may name paths of its host. */
export const complaintOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).trim().slice(0, 500)

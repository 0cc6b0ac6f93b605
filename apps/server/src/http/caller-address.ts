/**
 * Which address a request comes from: one rule for limits, sessions, alerts and receipts. It is the peer's, or, behind
 * the proxies of INGOT_TRUST_PROXY, the one that the outermost of them added to X-Forwarded-For. What stands to the
 * left of that was written by the client and is not read.
 */
import { isIP } from 'node:net'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'

/** Null when a proxy sent something other than an address. Some add the client's port, which is no part of it. */
export function callerAddress({ ip }: Pick<FastifyRequest, 'ip'>): string | null {
  const [, v4, v6] = /^([\d.]+):\d+$|^\[(.+)\](?::\d+)?$/.exec(ip ?? '') ?? []
  const address = (v4 ?? v6 ?? ip ?? '').split('%')[0]!
  return isIP(address) ? address : null
}

/** Fastify's `trustProxy`. It takes a bare number as none at all, so the hops are counted here. */
export const trustOf = (proxies: Config['trustProxy']) =>
  typeof proxies === 'number' ? proxies > 0 && ((_: string, hop: number) => hop < proxies) : [...proxies]

/** What proxies add, beside everything that begins with `x-forwarded-`. */
const proxyHeaders = ['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'true-client-ip', 'cf-connecting-ip']

/** The header by which a request shows that it came through a proxy; undefined when it has none. */
export const forwardedHeader = ({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined =>
  Object.keys(headers).find(name => name.startsWith('x-forwarded-') || proxyHeaders.includes(name))

/**
 * Says once that a proxy is in front of a server that was told of none: everybody behind it counts as one visitor, and
 * shares the limits of one.
 */
export function createProxyWarning(log: Pick<FastifyBaseLogger, 'warn'>) {
  let isSaid = false
  return (request: Pick<FastifyRequest, 'headers'>): void => {
    if (isSaid) return
    const header = forwardedHeader(request)
    if (!header) return
    isSaid = true
    log.warn(
      { header },
      'A request came through a proxy, but INGOT_TRUST_PROXY is not set: all visitors behind it share the limits of one address. Set it to the number of proxies, such as 1, or to their addresses',
    )
  }
}

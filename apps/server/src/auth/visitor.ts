/** What is known of whoever makes a call. */
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { callerAddress } from '../http/caller-address.ts'
import { networkOf } from './limits.ts'
import { readRedirect, type RedirectRule } from './redirect.ts'

export interface Visitor {
  /** Null when a proxy sent something other than an address. */
  readonly ip: string | null
  readonly userAgent: string | null
  readonly redirectTo: string
  readonly places: Places
}

/** What an account may know a visitor by: their browser, by a number that nobody can guess, and their network. */
export type Places = readonly [device: string | null, network: string | null]

const maxUserAgent = 512

export function visitorOf(request: FastifyRequest, rule: RedirectRule): Visitor {
  return {
    ip: callerAddress(request),
    userAgent: request.headers['user-agent']?.slice(0, maxUserAgent) ?? null,
    redirectTo: readRedirect(request, rule),
    places: placesOf(request),
  }
}

/** The console keeps it beside its session, and sends it along when somebody signs in. */
const deviceHeader = 'x-ingot-device'
const deviceForm = /^[A-Za-z0-9_-]{22,64}$/

export function placesOf(request: Pick<FastifyRequest, 'headers' | 'ip'>): Places {
  const device = request.headers[deviceHeader]
  const ip = callerAddress(request)
  const isDevice = typeof device === 'string' && deviceForm.test(device)
  return [
    isDevice ? `device:${createHash('sha256').update(device).digest('base64url')}` : null,
    ip && `network:${networkOf(ip)}`,
  ]
}

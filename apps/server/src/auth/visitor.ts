/** What is known of whoever makes a call. */
import type { FastifyRequest } from 'fastify'
import { callerAddress } from '../http/caller-address.ts'
import { readRedirect, type RedirectRule } from './redirect.ts'

export interface Visitor {
  /** Null when a proxy sent something other than an address. */
  readonly ip: string | null
  readonly userAgent: string | null
  readonly redirectTo: string
}

const maxUserAgent = 512

export function visitorOf(request: FastifyRequest, rule: RedirectRule): Visitor {
  return {
    ip: callerAddress(request),
    userAgent: request.headers['user-agent']?.slice(0, maxUserAgent) ?? null,
    redirectTo: readRedirect(request, rule),
  }
}

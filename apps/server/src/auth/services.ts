/** What the commands of this room work with, and what they know of who calls. */
import type { FastifyRequest } from 'fastify'
import { isIP } from 'node:net'
import type { Database } from '../db/database.ts'
import type { Vault } from '../vault.ts'
import { readRedirect } from './redirect.ts'
import type { AuthSettings } from './settings.ts'
import type { SmsSender } from './letters/sms-sender.ts'
import type { Tokens } from './sessions/tokens.ts'

export interface AuthServices {
  readonly database: Database
  readonly vault: Vault
  readonly tokens: Tokens
  readonly settings: AuthSettings
  /** Null: phones are not offered. */
  readonly sms: SmsSender | null
  /** Origin of links, without a trailing slash. */
  readonly siteUrl: string
  /** Tells the mail loop to look, once the transaction that queued a letter has committed. */
  readonly wakeMail: () => void
  /**
   * What an administrator's delete does: the same as the owner's own, with a positive balance refunded by request. `by` is
   * the administrator. Repeating it does nothing. Rejects with an IngotError: `not_found`, or `invalid_state` while money
   * is set aside. Null where there is no accounts room beside this one.
   */
  readonly deleteAccount: ((userId: string, by: string) => Promise<void>) | null
}

export interface Visitor {
  /** Null when a proxy sent something else than an address. */
  readonly ip: string | null
  readonly userAgent: string | null
  readonly redirectTo: string
}

const maxUserAgent = 512

export function visitorOf(request: FastifyRequest, auth: AuthServices): Visitor {
  const ip = request.ip?.split('%')[0] ?? ''
  return {
    ip: isIP(ip) ? ip : null,
    userAgent: request.headers['user-agent']?.slice(0, maxUserAgent) ?? null,
    redirectTo: readRedirect(request, auth),
  }
}

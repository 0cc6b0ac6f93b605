/** Sends a browser to a provider, to sign in or to link an identity to the account that is signed in. */
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type Database, inTransaction } from '../../db/database.ts'
import type { Body } from '../body.ts'
import { findOtpByToken } from '../codes/find-otp.ts'
import { readChallenge } from '../codes/pkce.ts'
import { AuthError, invalid } from '../errors.ts'
import { type LimitNeeds, takeToken } from '../limits.ts'
import type { AuthSettings } from '../settings.ts'
import type { Visitor } from '../visitor.ts'
import { basePath } from '../wire.ts'
import { type FlowNeeds, openFlow } from './open-flow.ts'
import { findProvider } from './providers.ts'

export interface AuthorizeNeeds extends LimitNeeds, FlowNeeds {
  readonly siteUrl: string
}

export const callbackUrl = ({ siteUrl }: { siteUrl: string }): string => `${siteUrl}${basePath}/callback`

const maxExtra = 16
const maxValue = 2048

/** Parameters that are ours, or that would change what the provider is asked for behind our back. */
const notHandedOn = new Set([
  'provider',
  'scopes',
  'redirect_to',
  'invite_token',
  'skip_http_redirect',
  'scope',
  'client_id',
  'client_secret',
  'redirect_uri',
  'response_type',
  'response_mode',
  'request',
  'request_uri',
  'state',
  'nonce',
])

export async function authorize(
  needs: AuthorizeNeeds,
  request: FastifyRequest,
  visitor: Visitor,
  linkSessionId: string | null,
): Promise<URL> {
  await takeToken(needs, 'authorize', visitor.ip)
  const query = readQuery(request.query as Record<string, unknown>)
  const provider = findProvider(needs.settings, query.text('provider'))
  const invitedUserId = linkSessionId ? null : await invitedUser(needs, query.text('invite_token'))
  const flow = await openFlow(needs, {
    provider: provider.id,
    redirectTo: visitor.redirectTo,
    challenge: readChallenge(query),
    nonce: query.text('nonce') || null,
    linkSessionId,
    invitedUserId,
  })
  const departure = {
    state: flow.state,
    challenge: createHash('sha256').update(flow.verifier).digest('base64url'),
    nonce: flow.nonce,
    redirectUri: callbackUrl(needs),
    scopes: query
      .text('scopes')
      .split(/[\s,]+/)
      .filter(Boolean),
    extra: query.extra,
  }
  return provider.leave(departure).catch((error: unknown) => {
    request.log.warn(
      { provider: provider.id, reason: (error as Error).message },
      'a provider cannot be reached',
    )
    throw new AuthError(500, 'unexpected_failure', `${provider.id} cannot be reached at the moment`)
  })
}

/** The query as a body is read: one text per name. */
function readQuery(query: Record<string, unknown>): Pick<Body, 'text'> & { extra: Record<string, string> } {
  const texts = Object.entries(query).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  )
  if (texts.some(([, value]) => value.length > maxValue))
    throw invalid(`A query parameter is too long (at most ${maxValue} characters)`)
  const extra = texts.filter(([name]) => !notHandedOn.has(name) && !name.startsWith('code_'))
  if (extra.length > maxExtra) throw invalid(`Too many query parameters (at most ${maxExtra})`)
  const values = new Map(texts)
  return { text: name => values.get(name) ?? '', extra: Object.fromEntries(extra) }
}

async function invitedUser(
  needs: { database: Database; settings: AuthSettings },
  token: string,
): Promise<string | null> {
  if (!token) return null
  const otp = await inTransaction(needs.database.kysely, tx => findOtpByToken(tx, ['invite'], token))
  if (!otp) throw new AuthError(404, 'user_not_found', 'User not found')
  return otp.user_id
}

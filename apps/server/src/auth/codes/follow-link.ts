/**
 * Follows a mailed link: redeems it and sends the browser on, with the session in the fragment, where no server log
 * sees it, or with a code in the query. A refusal is sent on in the same way, for the page to show.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AuthError, invalid } from '../errors.ts'
import { takeToken } from '../limits.ts'
import { withFragment, withQuery } from '../redirect.ts'
import { sessionBody } from '../sessions/session.ts'
import type { Tokens } from '../sessions/tokens.ts'
import { type Visitor, visitorOf } from '../visitor.ts'
import { isPkceToken } from './otp.ts'
import { type RedeemNeeds, redeemOtp, type Verified } from './redeem-otp.ts'
import { halfConfirmed } from './verify-otp.ts'

interface FollowNeeds extends RedeemNeeds {
  readonly tokens: Tokens
}

const maxLength = 256

export async function followLink(
  needs: FollowNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const visitor = visitorOf(request, needs)
  await takeToken(needs, 'verify', visitor.ip)
  const query = request.query as Record<string, unknown>
  const type = textOf(query['type'])
  const token = textOf(query['token'])
  if (!type) throw invalid('Verify requires a verification type')
  if (!token) throw invalid('Verify requires a token or a token hash')
  return reply.redirect(await placeToGo(needs, visitor, type, token), 303)
}

/** A value that is too long or given twice is no token of ours. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return textOf(value[0])
  return typeof value === 'string' ? value.slice(0, maxLength) : ''
}

async function placeToGo(needs: FollowNeeds, visitor: Visitor, type: string, token: string): Promise<string> {
  try {
    return await success(needs, visitor, type, await redeemOtp(needs, { type, token }, visitor, true))
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    const values = errorValues(error)
    const url = isPkceToken(token) ? withQuery(visitor.redirectTo, values) : visitor.redirectTo
    return withFragment(url, { ...values, sb: '' })
  }
}

async function success(
  needs: { tokens: Tokens },
  { redirectTo }: Visitor,
  type: string,
  verified: Verified,
): Promise<string> {
  if (verified.outcome === 'code') return withQuery(redirectTo, { code: verified.code })
  if (verified.outcome === 'half') return withFragment(redirectTo, { message: halfConfirmed, sb: '' })
  const session = await sessionBody(needs, verified)
  return withFragment(redirectTo, {
    access_token: session.access_token,
    expires_at: String(session.expires_at),
    expires_in: String(session.expires_in),
    refresh_token: session.refresh_token,
    sb: '',
    token_type: session.token_type,
    type,
  })
}

const oauthNames: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
}

function errorValues({ status, code, message }: AuthError): Record<string, string> {
  const error = oauthNames[status]
  return { ...(error ? { error } : {}), error_code: code, error_description: message }
}

/** Who makes a call of this service: the holder of an access token whose session still stands. */
import type { FastifyRequest } from 'fastify'
import { actAs } from '../../db/act.ts'
import type { Database } from '../../db/database.ts'
import { AuthError, invalid, userBanned } from '../errors.ts'
import { hasSecondFactor, type UserRow } from '../queries.ts'
import { audience } from '../wire.ts'
import { findSignedIn } from './queries.ts'
import type { SessionClaims, Tokens } from './tokens.ts'

export interface RequireSessionNeeds {
  readonly database: Database
  readonly tokens: Tokens
}

/** The bearer's token alone; the `apikey` header is never one. */
export function readBearer(request: FastifyRequest): string | null {
  return /^[Bb]earer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? null
}

/** A session that has not ended, and its user. */
export interface StandingSession {
  readonly user: UserRow
  readonly session: SessionClaims
}

export async function requireSession(
  request: FastifyRequest,
  needs: RequireSessionNeeds,
): Promise<StandingSession> {
  const bearer = readBearer(request)
  if (!bearer) throw new AuthError(401, 'no_authorization', 'This endpoint requires a valid Bearer token')
  const { userId, sessionId } = await needs.tokens.verify(bearer)
  const signedIn = await findSignedIn(needs.database, userId, sessionId)
  if (!signedIn) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  const { user, session } = signedIn
  if (!session)
    throw new AuthError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
  if (user.banned) throw userBanned()
  actAs(`user:${user.id}`)
  return { user, session }
}

/** A stolen password must not be enough to lock the owner out, or to leave a way in of one's own. */
export function assertSecondFactor(user: UserRow, { aal }: SessionClaims, doing: string): void {
  if (aal === 'aal2' || !hasSecondFactor(user)) return
  throw new AuthError(401, 'insufficient_aal', `AAL2 session is required to ${doing} when MFA is enabled.`)
}

/** A caller that names another audience than its token's is in the wrong place. */
export function assertAudience(request: FastifyRequest): void {
  const asked = request.headers['x-jwt-aud']
  if (asked && asked !== audience) throw invalid("Token audience doesn't match request audience")
}

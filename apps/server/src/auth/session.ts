/**
 * Sessions: a row that lives until somebody signs out, changes the password elsewhere or an old refresh token is played
 * back. Each call of this service checks it, so the end of a session is effective at once.
 */
import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import { AuthError, invalid } from './errors.ts'
import { findSignedIn, presentUser, type UserRow } from './queries.ts'
import { encodeRefreshToken } from './refresh-token.ts'
import type { AuthServices, Visitor } from './services.ts'
import { type AmrEntry, audience, type SessionClaims } from './tokens.ts'

/** A session and the refresh token that its holder gets. */
export interface Grant extends SessionClaims {
  readonly refreshToken: string
}

const refreshKeyBytes = 32

export const refreshKeyContext = (sessionId: string): string => `session:${sessionId}`

/** Opens a session and notes the sign-in on the user. `method` is how they proved themselves. */
export async function startSession(
  tx: Tx | Db,
  auth: AuthServices,
  userId: string,
  method: string,
  visitor: Visitor,
): Promise<Grant> {
  const id = newId()
  const key = randomBytes(refreshKeyBytes)
  const amr: AmrEntry[] = [{ method, timestamp: Math.floor(Date.now() / 1000) }]
  await sql`
    with signed_in as (update auth_user set last_sign_in_at = now(), updated_at = now() where id = ${userId})
    insert into auth_session (id, user_id, refresh_key_sealed, amr, user_agent, ip)
    values (${id}, ${userId}, ${auth.vault.seal(key, refreshKeyContext(id))}, ${JSON.stringify(amr)}, ${visitor.userAgent},
      ${visitor.ip}::inet)`.execute(tx)
  return { id, aal: 'aal1', amr, refreshToken: encodeRefreshToken(id, 0n, key) }
}

/** The token response: `user` as it is after the sign-in. */
export async function sessionBody(auth: AuthServices, user: UserRow, grant: Grant) {
  const { token, lifeSeconds, expiresAt } = await auth.tokens.sign(user, grant)
  return {
    access_token: token,
    token_type: 'bearer',
    expires_in: lifeSeconds,
    expires_at: expiresAt,
    refresh_token: grant.refreshToken,
    user: presentUser(user),
  }
}

/** The bearer's token alone; the `apikey` header is never one. */
export function readBearer(request: FastifyRequest): string | null {
  return /^[Bb]earer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? null
}

export async function requireSession(
  request: FastifyRequest,
  auth: AuthServices,
): Promise<{ user: UserRow; session: SessionClaims }> {
  const bearer = readBearer(request)
  if (!bearer) throw new AuthError(401, 'no_authorization', 'This endpoint requires a valid Bearer token')
  const { userId, sessionId } = await auth.tokens.verify(bearer)
  const signedIn = await findSignedIn(auth.database.kysely, userId, sessionId)
  if (!signedIn) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  const { user, session } = signedIn
  if (!session)
    throw new AuthError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
  if (user.banned) throw new AuthError(403, 'user_banned', 'User is banned')
  return { user, session }
}

/** A caller that names another audience than its token's is in the wrong place. */
export function assertAudience(request: FastifyRequest): void {
  const asked = request.headers['x-jwt-aud']
  if (asked && asked !== audience) throw invalid("Token audience doesn't match request audience")
}

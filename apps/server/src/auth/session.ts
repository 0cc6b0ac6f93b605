/**
 * Sessions: a row that lives until somebody signs out, changes the password elsewhere or an old refresh token is played
 * back. Each call of this service checks it, so the end of a session is effective at once.
 */
import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import { describeDevice } from './device.ts'
import { AuthError, invalid } from './errors.ts'
import { tellNewDevice } from './new-device.ts'
import { findSignedIn, hasSecondFactor, presentUser, type UserRow } from './queries.ts'
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
  ssoProviderId?: string | null,
): Promise<Grant> {
  const id = newId()
  const key = randomBytes(refreshKeyBytes)
  const amr: AmrEntry[] = [
    {
      method,
      timestamp: Math.floor(Date.now() / 1000),
      ...(ssoProviderId ? { provider: ssoProviderId } : {}),
    },
  ]
  const { rows } = await sql<{ onNewDevice: boolean }>`
    with signed_in as (update auth_user set last_sign_in_at = now(), updated_at = now() where id = ${userId}),
      device as (
        insert into auth_device (user_id, device) values (${userId}, ${describeDevice(visitor.userAgent).family})
        on conflict do nothing returning 1)
    insert into auth_session (id, user_id, refresh_key_sealed, amr, user_agent, ip)
    values (${id}, ${userId}, ${auth.vault.seal(key, refreshKeyContext(id))}, ${JSON.stringify(amr)}, ${visitor.userAgent},
      ${visitor.ip}::inet)
    returning exists (select from device) and exists (select from auth_device d where d.user_id = ${userId})
      as "onNewDevice"`.execute(tx)
  if (rows[0]!.onNewDevice) await tellNewDevice(tx, auth, userId, visitor)
  if (auth.settings.sessions.singlePerUser) await keepNewestSession(tx, userId)
  return { id, aal: 'aal1', amr, refreshToken: encodeRefreshToken(id, 0n, key) }
}

/** The others stay as rows for a while, so that a refresh of theirs is told why it is refused. */
async function keepNewestSession(tx: Tx | Db, userId: string): Promise<void> {
  await sql`
    update auth_session set superseded_at = now()
    where user_id = ${userId} and superseded_at is null
      and id <> (select id from auth_session where user_id = ${userId} order by id desc limit 1)`.execute(tx)
  await sql`
    delete from auth_session where user_id = ${userId} and superseded_at < now() - interval '30 days'`.execute(
    tx,
  )
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
  const signedIn = await findSignedIn(auth.database, userId, sessionId)
  if (!signedIn) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  const { user, session } = signedIn
  if (!session)
    throw new AuthError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist')
  if (user.banned) throw new AuthError(403, 'user_banned', 'User is banned')
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

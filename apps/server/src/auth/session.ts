/**
 * Sessions: a row that lives until somebody signs out, changes the password elsewhere or an old refresh token is played
 * back. Each call of this service checks it, so the end of a session is effective at once.
 */
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { type Database, type Db, query, type Tx } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import { describeDevice } from './device.ts'
import { AuthError, invalid } from './errors.ts'
import { assertUnlocked } from './limits.ts'
import { tellNewDevice } from './new-device.ts'
import { findSignedIn, hasSecondFactor, presentUser, type UserRow, userColumnsText } from './queries.ts'
import { encodeRefreshToken, refreshKeyOf } from './refresh-token.ts'
import type { AuthServices, Visitor } from './services.ts'
import { type AmrEntry, audience, type SessionClaims } from './tokens.ts'

/** A session and the refresh token that its holder gets. */
export interface Grant extends SessionClaims {
  readonly refreshToken: string
}

/** A session that just began, and its user as the sign-in left them. */
export interface Opened {
  readonly user: UserRow
  readonly grant: Grant
}

export interface Opening {
  readonly userId: string
  /** How they proved themselves. */
  readonly method: string
  readonly visitor: Visitor
  readonly ssoProviderId?: string | null
  /** What they gave: wrong ones of its address are forgotten, and it must still be the user's. */
  readonly password?: { readonly key: string; readonly hash: string }
}

const open = `
  with cleared as materialized (
    select case when $7::text is null then 0 else auth_clear_failures($7) end as seconds),
  u as (
    update auth_user a set last_sign_in_at = now(), updated_at = now() from cleared
    where a.id = $1 and cleared.seconds = 0 and ($8::text is null or a.password_hash = $8) returning a.*),
  device as (
    insert into auth_device (user_id, device) select id, $2 from u
    where not exists (select from auth_device d where d.user_id = u.id and d.device = $2)
    on conflict do nothing returning 1),
  session as (
    insert into auth_session (id, user_id, amr, user_agent, ip) select $3, id, $4, $5, $6 from u)
  select cleared.seconds, ${userColumnsText},
    exists (select from device) and exists (select from auth_device d where d.user_id = u.id) as on_new_device
  from cleared left join u on true`

/**
 * Opens a session and notes the sign-in on the user. Outside a transaction it is one statement, for devices that are
 * known and where a user may have several sessions.
 */
export async function startSession(
  on: Tx | Database,
  auth: AuthServices,
  { userId, method, visitor, ssoProviderId, password }: Opening,
): Promise<Opened> {
  const id = newId()
  const amr: AmrEntry[] = [
    {
      method,
      timestamp: Math.floor(Date.now() / 1000),
      ...(ssoProviderId ? { provider: ssoProviderId } : {}),
    },
  ]
  const { family } = describeDevice(visitor.userAgent)
  const { userAgent, ip } = visitor
  const values = [userId, family, id, JSON.stringify(amr), userAgent, ip, password?.key, password?.hash]
  const { rows } = await query<UserRow & { seconds: number; on_new_device: boolean }>(on, {
    name: 'open session',
    text: open,
    values,
  })
  const { seconds, on_new_device: onNewDevice, ...user } = rows[0]!
  assertUnlocked(seconds)
  if (!user.id) throw password ? wrongPassword() : new AuthError(403, 'user_not_found', 'User does not exist')
  const tx = 'pool' in on ? on.kysely : on
  if (onNewDevice) await tellNewDevice(tx, auth, userId, visitor)
  if (auth.settings.sessions.singlePerUser) await keepNewestSession(tx, userId)
  const refreshToken = encodeRefreshToken(id, 0n, refreshKeyOf(auth.vault, id))
  return { user, grant: { id, aal: 'aal1', amr, refreshToken } }
}

export const wrongPassword = (): AuthError =>
  new AuthError(400, 'invalid_credentials', 'Invalid login credentials')

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
export async function sessionBody(auth: AuthServices, { user, grant }: Opened) {
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

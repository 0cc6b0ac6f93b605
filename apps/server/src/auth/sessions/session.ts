/**
 * Sessions: a row that lives until somebody signs out, changes the password elsewhere or an old refresh token is played
 * back. Each call of this service checks it, so the end of a session is effective at once.
 */
import type { FastifyRequest } from 'fastify'
import { CompiledQuery, sql } from 'kysely'
import { batchPer, column, columns } from '../../db/coalesce.ts'
import type { Db, Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { describeDevice } from './device.ts'
import { AuthError, invalid } from '../errors.ts'
import { assertUnlocked } from '../limits.ts'
import { tellNewDevice } from './new-device.ts'
import { findSignedIn, hasSecondFactor, presentUser, type UserRow, userColumnsText } from '../queries.ts'
import { encodeRefreshToken, refreshKeyOf } from './refresh-token.ts'
import type { AuthServices, Visitor } from '../services.ts'
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

/** Opens a session and notes the sign-in on the user. */
export async function startSession(tx: Tx, auth: AuthServices, opening: Opening): Promise<Opened> {
  const { userId, visitor, password } = opening
  const { id, amr } = newSession(opening)
  const { family } = describeDevice(visitor.userAgent)
  const { userAgent, ip } = visitor
  const values = [userId, family, id, JSON.stringify(amr), userAgent, ip, password?.key, password?.hash]
  const { rows } = await tx.executeQuery(
    CompiledQuery.raw(open, values) as CompiledQuery<UserRow & { seconds: number; on_new_device: boolean }>,
  )
  const { seconds, on_new_device: onNewDevice, ...user } = rows[0]!
  assertUnlocked(seconds)
  if (!user.id) throw password ? wrongPassword() : new AuthError(403, 'user_not_found', 'User does not exist')
  if (onNewDevice) await tellNewDevice(tx, auth, userId, visitor)
  if (auth.settings.sessions.singlePerUser) await keepNewestSession(tx, userId)
  return { user, grant: newGrant(auth, id, amr) }
}

function newSession({ method, ssoProviderId }: Opening): { id: string; amr: AmrEntry[] } {
  const timestamp = Math.floor(Date.now() / 1000)
  const provider = ssoProviderId ? { provider: ssoProviderId } : {}
  return { id: newId(), amr: [{ method, timestamp, ...provider }] }
}

const newGrant = (auth: AuthServices, id: string, amr: AmrEntry[]): Grant => ({
  id,
  aal: 'aal1',
  amr,
  refreshToken: encodeRefreshToken(id, 0n, refreshKeyOf(auth.vault, id)),
})

/** Skips users that somebody else changes, passwords that are no longer theirs, addresses with wrong tries, new devices. */
const openAll = `
  with asked as materialized (
    select * from unnest(${columns('integer', 'uuid', 'text', 'text', 'text', 'uuid', 'jsonb', 'text', 'inet')})
      w (n, user_id, password_key, password_hash, device, session_id, amr, user_agent, ip)),
  locked as materialized (
    select id, password_hash from auth_user where id = any(${column(2, 'uuid')}) for no key update skip locked),
  ready as materialized (
    select a.* from asked a join locked l on l.id = a.user_id
    where l.password_hash = a.password_hash
      and not exists (select from auth_failure f where f.key = a.password_key)
      and exists (select from auth_device d where d.user_id = a.user_id and d.device = a.device)),
  u as (
    update auth_user set last_sign_in_at = now(), updated_at = now() where id in (select user_id from ready) returning *),
  session as (
    insert into auth_session (id, user_id, amr, user_agent, ip)
    select r.session_id, u.id, r.amr, r.user_agent, r.ip from ready r join u on u.id = r.user_id)
  select r.n, ${userColumnsText} from ready r join u on u.id = r.user_id`

type ByPassword = Opening & Required<Pick<Opening, 'password'>>

const openTogether = batchPer(
  async (auth: AuthServices, openings: readonly ByPassword[]): Promise<(Opened | null)[]> => {
    const sessions = openings.map(newSession)
    const each = (of: (opening: ByPassword) => unknown) => openings.map(of)
    const { rows } = await auth.database.pool.query<UserRow & { n: number }>({
      name: 'open sessions',
      text: openAll,
      values: [
        openings.map((_, n) => n),
        each(({ userId }) => userId),
        each(({ password }) => password.key),
        each(({ password }) => password.hash),
        each(({ visitor }) => describeDevice(visitor.userAgent).family),
        sessions.map(({ id }) => id),
        sessions.map(({ amr }) => JSON.stringify(amr)),
        each(({ visitor }) => visitor.userAgent),
        each(({ visitor }) => visitor.ip),
      ],
    })
    const opened: (Opened | null)[] = openings.map(() => null)
    for (const { n, ...user } of rows) {
      const { id, amr } = sessions[n]!
      opened[n] = { user, grant: newGrant(auth, id, amr) }
    }
    return opened
  },
)

/**
 * The usual sign-in by password, in one statement that those that arrive together share. Null: it is not the usual one,
 * nothing has happened, and `startSession` says what of it.
 */
export async function openKnown(auth: AuthServices, opening: ByPassword): Promise<Opened | null> {
  return auth.settings.sessions.singlePerUser ? null : openTogether(auth, opening)
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

/**
 * Who is calling `/v1`: the session's row is read for every call, so signing out, a ban and a new role are effective at
 * once. Calls that arrive in the same turn of the event loop share one query. Refuses with `not_authenticated`,
 * whatever the reason; with `mfa_required` where only the second factor is missing, which otherwise would protect
 * nothing.
 */
import { IngotError } from '@ingot/contracts/errors'
import { coalesce } from '../../db/coalesce.ts'
import type { Database } from '../../db/database.ts'
import type { Authenticate, Caller, SessionCaller } from '../../http/bind.ts'
import { AuthError } from '../errors.ts'
import { readBearer } from './require-session.ts'
import { type Claims, createTokens, type Tokens, type TokensOptions } from './tokens.ts'

export function createAuthenticate(options: TokensOptions): Authenticate {
  const tokens = createTokens(options)
  const sessionOf = coalesce(lookUpSessions(options.database))
  return async request => {
    const bearer = readBearer(request)
    const claims = bearer && (await claimsOf(tokens, bearer))
    const caller = claims && callerFrom(await sessionOf(claims.sessionId.toLowerCase()))
    if (!caller || caller.userId !== claims.userId) throw new IngotError('not_authenticated')
    return caller
  }
}

/** Null for whatever is no valid token. */
async function claimsOf(tokens: Pick<Tokens, 'verify'>, bearer: string): Promise<Claims | null> {
  try {
    return await tokens.verify(bearer)
  } catch (error) {
    if (error instanceof AuthError) return null
    throw error
  }
}

interface SessionRow extends Omit<SessionCaller, 'keyId'> {
  readonly banned: boolean
  /** The user has a second factor, and this session has not shown it. */
  readonly halfWay: boolean
  readonly idle: boolean
}

const lookUp = `
  select s.id as "sessionId", s.user_id as "userId", coalesce(u.banned_until > now(), false) as banned,
    s.aal = 'aal1' and exists (
      select from auth_factor f where f.user_id = s.user_id and f.status = 'verified') as "halfWay",
    s.last_active_at < now() - interval '1 minute' as idle,
    coalesce((select r.role from user_roles r where r.user_id = s.user_id), 'user') as role
  from auth_session s join auth_user u on u.id = s.user_id where s.id = any($1::uuid[]) and s.superseded_at is null`

/**
 * The hot path waits for none of this. Rows that somebody else holds are left for the next call. It has no name: once a
 * minute and session is too seldom for keeping a plan to pay.
 */
const noteActivity = `
  update auth_session set last_active_at = now()
  where id in (select id from auth_session where id = any($1::uuid[]) for no key update skip locked)`

const lookUpSessions =
  ({ pool }: Database) =>
  async (sessionIds: readonly string[]): Promise<ReadonlyMap<string, SessionRow>> => {
    const { rows } = await pool.query<SessionRow>({
      name: 'auth.find-callers',
      text: lookUp,
      values: [sessionIds],
    })
    const idle = rows.filter(row => row.idle).map(row => row.sessionId)
    if (idle.length) pool.query(noteActivity, [idle]).catch(() => {})
    return new Map(rows.map(row => [row.sessionId, row]))
  }

function callerFrom(row: SessionRow | undefined): Caller | null {
  if (!row || row.banned) return null
  if (row.halfWay) throw new IngotError('mfa_required')
  return { userId: row.userId, sessionId: row.sessionId, keyId: null, role: row.role }
}

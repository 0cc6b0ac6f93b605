/**
 * Who is calling `/v1`: the bearer's token is verified once and remembered until it expires, and the session's row is
 * read for every call, so signing out, a ban and a new role are effective at once. Calls that arrive in the same turn
 * of the event loop share one query. A look-up never joins a query that began before its call arrived: the answer would
 * be from before it. Refuses with `not_authenticated`, whatever the reason.
 */
import { hash } from 'node:crypto'
import { IngotError } from '@ingot/contracts/errors'
import type { Database } from '../db/database.ts'
import type { Authenticate, Caller } from '../http/bind.ts'
import { AuthError } from './errors.ts'
import { readBearer } from './session.ts'
import { type Claims, createTokens, type Tokens, type TokensOptions } from './tokens.ts'

export interface AuthenticateOptions extends TokensOptions {
  /** Tokens remembered at most; the longest unused goes first. */
  readonly maxRemembered?: number
}

const rememberedByDefault = 10_000

export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const claimsOf = rememberClaims(createTokens(options), options.maxRemembered ?? rememberedByDefault)
  const callerOf = coalesceLookUps(options.database)
  return async request => {
    const bearer = readBearer(request)
    const claims = bearer && (await claimsOf(bearer))
    const caller = claims && (await callerOf(claims.sessionId))
    if (!caller || caller.userId !== claims.userId) throw new IngotError('not_authenticated')
    return caller
  }
}

/** Keyed by hash, so that a dump of this process's memory holds fewer tokens. A Map keeps the order of insertion. */
function rememberClaims(tokens: Pick<Tokens, 'verify'>, max: number) {
  const remembered = new Map<string, Claims>()
  return async (bearer: string): Promise<Claims | null> => {
    const key = hash('sha256', bearer, 'base64')
    let claims = remembered.get(key)
    remembered.delete(key)
    if (claims && claims.expiresAt * 1000 <= Date.now()) return null
    claims ??= await tokens.verify(bearer).catch((error: unknown) => {
      if (error instanceof AuthError) return undefined
      throw error
    })
    if (!claims) return null
    remembered.set(key, claims)
    if (remembered.size > max) remembered.delete(remembered.keys().next().value!)
    return claims
  }
}

interface SessionCaller extends Caller {
  readonly banned: boolean
}

const lookUp = `
  select s.id as "sessionId", s.user_id as "userId", coalesce(u.banned_until > now(), false) as banned,
    coalesce((
      select r.role from user_roles r where r.user_id = s.user_id order by (r.role = 'admin') desc limit 1), 'user') as role
  from auth_session s join auth_user u on u.id = s.user_id where s.id = any($1::uuid[])`

function coalesceLookUps({ pool }: Database) {
  let waiting: Map<string, PromiseWithResolvers<Caller | null>> | null = null

  async function flush() {
    const batch = waiting!
    waiting = null
    try {
      const { rows } = await pool.query<SessionCaller>({
        name: 'authenticate',
        text: lookUp,
        values: [[...batch.keys()]],
      })
      const found = new Map(rows.map(row => [row.sessionId, row]))
      for (const [id, { resolve }] of batch) resolve(callerFrom(found.get(id)))
    } catch (error) {
      for (const { reject } of batch.values()) reject(error)
    }
  }

  return (sessionId: string): Promise<Caller | null> => {
    if (!waiting) {
      waiting = new Map()
      setImmediate(() => void flush())
    }
    const id = sessionId.toLowerCase()
    const shared = waiting.get(id) ?? Promise.withResolvers<Caller | null>()
    waiting.set(id, shared)
    return shared.promise
  }
}

function callerFrom(row: SessionCaller | undefined): Caller | null {
  if (!row || row.banned) return null
  return { userId: row.userId, sessionId: row.sessionId, role: row.role }
}

/**
 * Exchanges a refresh token for a new access token. The active token rotates. Its parent gets the active one again, at any
 * later time: the client lost the answer. An older one does too within a few seconds of the last refresh (tabs that woke
 * up together); after that it was stolen, from one side or the other, and the session ends. Refreshes of one session
 * queue here rather than on its row, so that they do not hold connections.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { inTransaction, type Tx } from '../db/database.ts'
import type { Body } from './body.ts'
import { AuthError, invalid } from './errors.ts'
import { takeToken } from './limits.ts'
import { findUserById, type UserRow } from './queries.ts'
import { encodeRefreshToken, isGenuine, parseRefreshToken, type RefreshToken } from './refresh-token.ts'
import type { AuthServices, Visitor } from './services.ts'
import { type Grant, refreshKeyContext, sessionBody } from './session.ts'
import type { Aal, AmrEntry } from './tokens.ts'

const retryMs = { least: 10, most: 30 }

type Outcome = { readonly user: UserRow; readonly grant: Grant } | AuthError | 'locked'

export async function refreshSession(auth: AuthServices, body: Body, visitor: Visitor) {
  await takeToken(auth, 'token', visitor.ip)
  const text = body.text('refresh_token')
  // Twelve such characters are the form of another server's tokens: well formed, but not known here.
  if (/^[a-z0-9]{12}$/.test(text)) throw notFound()
  const token = parseRefreshToken(text)
  if (!token) throw invalid('Refresh token is not valid')

  const deadline = Date.now() + auth.settings.refreshWaitSeconds * 1000
  for (;;) {
    const outcome = await inTransaction(auth.database.kysely, tx => refresh(tx, auth, token, visitor))
    if (outcome instanceof AuthError) throw outcome
    if (outcome !== 'locked') return sessionBody(auth, outcome.user, outcome.grant)
    if (Date.now() >= deadline) {
      throw new AuthError(
        409,
        'conflict',
        'Too many concurrent token refresh requests on the same session or refresh token',
      )
    }
    await sleep(retryMs.least + Math.random() * (retryMs.most - retryMs.least))
  }
}

const notFound = () =>
  new AuthError(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found')

interface SessionRow {
  user_id: string
  refresh_key_sealed: Buffer
  refresh_counter: bigint
  aal: Aal
  amr: AmrEntry[]
  fresh: boolean
}

/** A refusal is returned, not thrown: the end of a stolen session must be kept. */
async function refresh(tx: Tx, auth: AuthServices, token: RefreshToken, visitor: Visitor): Promise<Outcome> {
  const id = token.sessionId
  const { rows } = await sql<SessionRow>`
    select user_id, refresh_key_sealed, refresh_counter, aal, amr,
      refreshed_at > now() - ${auth.settings.refreshReuseSeconds} * interval '1 second' as fresh
    from auth_session where id = ${id} for update skip locked`.execute(tx)
  const session = rows[0]
  if (!session) {
    const there = await tx.selectFrom('auth_session').select('id').where('id', '=', id).executeTakeFirst()
    return there ? 'locked' : notFound()
  }
  const key = auth.vault.open(session.refresh_key_sealed, refreshKeyContext(id))
  if (!isGenuine(token, key)) return notFound()
  const user = (await findUserById(tx, session.user_id))!
  if (user.banned) return new AuthError(400, 'user_banned', 'Invalid Refresh Token: User Banned')

  const behind = session.refresh_counter - token.counter
  if (behind < 0n) return invalid('Refresh token is not valid')
  if (behind > 1n && !session.fresh) {
    await tx.deleteFrom('auth_session').where('id', '=', id).execute()
    return new AuthError(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used')
  }
  const rotates = behind === 0n
  const counter = session.refresh_counter + (rotates ? 1n : 0n)
  // Only a rotation counts as a refresh: otherwise an old token could keep its own few seconds open for ever.
  await sql`
    update auth_session set refresh_counter = ${counter}, user_agent = ${visitor.userAgent}, ip = ${visitor.ip}::inet,
      refreshed_at = case when ${rotates} then now() else refreshed_at end
    where id = ${id}`.execute(tx)
  const refreshToken = encodeRefreshToken(id, counter, key)
  return { user, grant: { id, aal: session.aal, amr: session.amr, refreshToken } }
}

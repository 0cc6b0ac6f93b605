/**
 * Exchanges a refresh token for a new access token. The active token rotates. Its parent gets the active one again, at any
 * later time: the client lost the answer. An older one does too within a few seconds of the last refresh (tabs that woke
 * up together); after that it was stolen, from one side or the other, and the session ends. A token from before the
 * second factor never gets at what came after it. Refreshes of one session do not wait on its row: whoever finds that
 * another was faster looks again, so none of them holds a connection. Those that arrive together share their queries.
 *
 * A step is answered before it is on disk. Should a crash of the database lose it, the token that it gave out is ahead of
 * its row and still genuine, since only this service can make one: it is taken as the active one.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { coalescePer } from '../db/coalesce.ts'
import type { Body } from './body.ts'
import { AuthError, invalid } from './errors.ts'
import { takeToken } from './limits.ts'
import { hasSecondFactor, userColumnsText, type UserRow } from './queries.ts'
import { encodeRefreshToken, isGenuine, parseRefreshToken, type RefreshToken } from './refresh-token.ts'
import type { AuthServices, Visitor } from './services.ts'
import { type Grant, refreshKeyContext, sessionBody } from './session.ts'
import type { Aal, AmrEntry } from './tokens.ts'

const retryMs = { least: 10, most: 30 }

export async function refreshSession(auth: AuthServices, body: Body, visitor: Visitor) {
  await takeToken(auth, 'token', visitor.ip)
  const text = body.text('refresh_token')
  // Twelve such characters are the form of another server's tokens: well formed, but not known here.
  if (/^[a-z0-9]{12}$/.test(text)) throw notFound()
  const token = parseRefreshToken(text)
  if (!token) throw invalid('Refresh token is not valid')

  const deadline = Date.now() + auth.settings.refreshWaitSeconds * 1000
  for (;;) {
    const refreshed = await refresh(auth, token, visitor)
    if (refreshed) return sessionBody(auth, refreshed.user, refreshed.grant)
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
const alreadyUsed = () =>
  new AuthError(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used')
const expired = (why: string) =>
  new AuthError(400, 'session_expired', `Invalid Refresh Token: Session Expired${why}`)

interface SessionRow extends UserRow {
  readonly session_id: string
  readonly refresh_key_sealed: Buffer
  readonly refresh_counter: bigint
  readonly first_counter: bigint
  readonly aal: Aal
  readonly amr: AmrEntry[]
  readonly fresh: boolean
  readonly superseded: boolean
  readonly past_time_box: boolean
  readonly inactive: boolean
  readonly past_low_aal: boolean
}

/** Null: somebody else changed the session in the meantime. */
async function refresh(
  auth: AuthServices,
  token: RefreshToken,
  visitor: Visitor,
): Promise<{ user: UserRow; grant: Grant } | null> {
  const id = token.sessionId
  const session = await findSession(auth, id)
  if (!session) throw notFound()
  const key = auth.vault.open(session.refresh_key_sealed, refreshKeyContext(id))
  if (!isGenuine(token, key)) throw notFound()
  if (session.banned) throw new AuthError(400, 'user_banned', 'Invalid Refresh Token: User Banned')
  assertRules(session)
  const active = session.refresh_counter
  await assertNotUsed(auth, session, token)
  const rotates = token.counter >= active
  const next = rotates ? token.counter + 1n : active
  const step: Step = [id, String(active), String(next), visitor.userAgent, visitor.ip]
  if (rotates && !(await rotate(auth, JSON.stringify(step)))) return null
  const refreshToken = encodeRefreshToken(id, next, key)
  return { user: session, grant: { id, aal: session.aal, amr: session.amr, refreshToken } }
}

const olderThan = (column: string, seconds: string) =>
  `coalesce(${column} < now() - ${seconds}::float8 * interval '1 second', false)`

const look = `
  select ${userColumnsText}, s.id as session_id, s.refresh_key_sealed, s.refresh_counter, s.first_counter, s.aal, s.amr,
    s.refreshed_at > now() - $2::float8 * interval '1 second' as fresh, s.superseded_at is not null as superseded,
    ${olderThan('s.created_at', '$3')} as past_time_box, ${olderThan('s.last_active_at', '$4')} as inactive,
    ${olderThan('s.created_at', '$5')} as past_low_aal
  from auth_session s join auth_user u on u.id = s.user_id where s.id = any($1::uuid[])`

const findSession = coalescePer(
  async ({ database, settings }: AuthServices, ids): Promise<ReadonlyMap<string, SessionRow>> => {
    const { timeBoxSeconds, inactivitySeconds, lowAalSeconds } = settings.sessions
    const { rows } = await database.pool.query<SessionRow>({
      name: 'refresh: look',
      text: look,
      values: [ids, settings.refreshReuseSeconds, timeBoxSeconds, inactivitySeconds, lowAalSeconds],
    })
    return new Map(rows.map(row => [row.session_id, row]))
  },
)

function assertRules(session: SessionRow): void {
  if (session.superseded) throw expired(' (Revoked by Newer Login)')
  if (session.past_time_box) throw expired('')
  if (session.inactive) throw expired(' (Inactivity)')
  if (session.past_low_aal && session.aal === 'aal1' && hasSecondFactor(session))
    throw expired(' (Low AAL: User Needs MFA Verification)')
}

/** Tabs that refresh while another of them raises the session are refused, not taken for thieves. */
async function assertNotUsed(
  { database }: AuthServices,
  session: SessionRow,
  { sessionId, counter }: RefreshToken,
): Promise<void> {
  const { refresh_counter: active, first_counter: first, fresh } = session
  if (counter >= first && (fresh || active - counter <= 1n)) return
  if (!fresh) await database.kysely.deleteFrom('auth_session').where('id', '=', sessionId).execute()
  throw alreadyUsed()
}

const step = `
  update auth_session s set refresh_counter = w.next, user_agent = w.user_agent, ip = w.ip,
    refreshed_at = now(), last_active_at = now()
  from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::text[], $5::inet[]) w (id, counter, next, user_agent, ip),
    (select set_config('synchronous_commit', 'off', true)) unwaited
  where s.id = w.id and s.refresh_counter = w.counter
    and s.id in (select id from auth_session where id = any($1::uuid[]) for no key update skip locked)
  returning s.id, w.counter::text as counter`

type Step = readonly [id: string, counter: string, next: string, userAgent: string | null, ip: string | null]

/** True for each session that moved on; not when its row is locked or its counter another by now. */
const rotate = coalescePer(async ({ database }: AuthServices, keys): Promise<ReadonlyMap<string, true>> => {
  const steps = keys.map(key => JSON.parse(key) as Step)
  const { rows } = await database.pool.query<{ id: string; counter: string }>({
    name: 'refresh: step',
    text: step,
    values: [0, 1, 2, 3, 4].map(column => steps.map(each => each[column])),
  })
  const moved = new Set(rows.map(row => `${row.id}:${row.counter}`))
  return new Map(keys.filter((_, n) => moved.has(`${steps[n]![0]}:${steps[n]![1]}`)).map(key => [key, true]))
})

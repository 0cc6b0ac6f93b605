/**
 * Exchanges a refresh token for a new access token. The active token rotates. Its parent gets the active one again, at
 * any later time: the client lost the answer. An older one does too within a few seconds of the last refresh (tabs that
 * woke up together); after that it was stolen, from one side or the other, and the session ends. A token from before
 * the second factor never gets at what came after it. Refreshes of one session do not wait on its row: whoever finds
 * that another was faster looks again, so none of them holds a connection. All of it is one statement, which those that
 * arrive together share.
 *
 * A step is answered before it is on disk. Should a crash of the database lose it, the token that it gave out is ahead
 * of its row and still genuine, since only this service can make one: it is taken as the active one.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { batchPer, column, columns } from '../../db/coalesce.ts'
import type { Database } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import type { Body } from '../body.ts'
import { AuthError, invalid } from '../errors.ts'
import {
  type Bucket,
  type LimitNeeds,
  assertFree,
  bucketColumns,
  bucketOf,
  inOrderOfKeys,
  readOrTake,
} from '../limits.ts'
import { userColumnsText, type UserRow } from '../queries.ts'
import type { Visitor } from '../visitor.ts'
import {
  encodeRefreshToken,
  isGenuine,
  parseRefreshToken,
  refreshKeyOf,
  type RefreshToken,
} from './refresh-token.ts'
import { type Opened, sessionBody } from './session.ts'
import type { Aal, AmrEntry, Tokens } from './tokens.ts'

interface RefreshNeeds extends LimitNeeds {
  readonly vault: Vault
  readonly tokens: Tokens
}

const retryMs = { least: 10, most: 30 }

export async function refreshSession(needs: RefreshNeeds, body: Body, visitor: Visitor) {
  const token = await readOrTake(needs, 'token', visitor.ip, () => readToken(needs, body))
  let bucket = bucketOf(needs, 'token', visitor.ip)
  const deadline = Date.now() + needs.settings.refreshWaitSeconds * 1000
  for (;;) {
    const opened = await refresh(needs, { token, visitor, bucket })
    if (opened) return sessionBody(needs, opened)
    if (Date.now() >= deadline) {
      throw new AuthError(
        409,
        'conflict',
        'Too many concurrent token refresh requests on the same session or refresh token',
      )
    }
    await sleep(retryMs.least + Math.random() * (retryMs.most - retryMs.least))
    bucket = null
  }
}

function readToken({ vault }: { vault: Vault }, body: Body): RefreshToken {
  const text = body.text('refresh_token')
  // Twelve such characters are the form of another server's tokens: well formed, but not known here.
  if (/^[a-z0-9]{12}$/.test(text)) throw notFound()
  const token = parseRefreshToken(text)
  if (!token) throw invalid('Refresh token is not valid')
  if (!isGenuine(token, refreshKeyOf(vault, token.sessionId))) throw notFound()
  return token
}

const notFound = () =>
  new AuthError(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found')
const expired = (why: string) =>
  new AuthError(400, 'session_expired', `Invalid Refresh Token: Session Expired${why}`)

const refusals = {
  gone: notFound,
  banned: () => new AuthError(400, 'user_banned', 'Invalid Refresh Token: User Banned'),
  superseded: () => expired(' (Revoked by Newer Login)'),
  past_time_box: () => expired(''),
  inactive: () => expired(' (Inactivity)'),
  past_low_aal: () => expired(' (Low AAL: User Needs MFA Verification)'),
}

interface Refresh {
  readonly token: RefreshToken
  readonly visitor: Visitor
  /** Null: it has been paid. */
  readonly bucket: Bucket | null
}

/** A session as it was before, and whether this token has moved it on. */
interface Step extends UserRow {
  readonly n: number
  readonly free: boolean
  readonly refusal: keyof typeof refusals | null
  readonly refresh_counter: bigint
  readonly first_counter: bigint
  readonly session_aal: Aal
  readonly session_amr: AmrEntry[]
  readonly fresh: boolean
  readonly moved: boolean
}

/** Null: somebody else changes the session at this moment. */
async function refresh(needs: Omit<RefreshNeeds, 'tokens'>, asked: Refresh): Promise<Opened | null> {
  const { sessionId: id, counter } = asked.token
  const step = await takeStep(needs, asked)
  assertFree(step.free)
  if (step.refusal) throw refusals[step.refusal]()
  const active = step.refresh_counter
  if (!step.moved && counter >= active) return null
  await assertNotUsed(needs, step, asked.token)
  const next = step.moved ? counter + 1n : active
  const refreshToken = encodeRefreshToken(id, next, refreshKeyOf(needs.vault, id))
  return { user: step, grant: { id, aal: step.session_aal, amr: step.session_amr, refreshToken } }
}

/** Tabs that refresh while another of them raises the session are refused, not taken for thieves. */
async function assertNotUsed(
  { database }: { database: Database },
  { refresh_counter: active, first_counter: first, fresh }: Step,
  { sessionId, counter }: RefreshToken,
): Promise<void> {
  if (counter >= first && (fresh || active - counter <= 1n)) return
  if (!fresh) await database.kysely.deleteFrom('auth_session').where('id', '=', sessionId).execute()
  throw new AuthError(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used')
}

const olderThan = (column: string, seconds: string) =>
  `${column} < now() - ${seconds}::float8 * interval '1 second'`

/**
 * Skips a session that somebody else holds, and one whose counter is past the token's. Rules without a figure are null.
 */
const step = `
  with asked as materialized (
    select w.*, case when key is null then true else auth_take_token(key, burst, per_second) end as free
    from unnest(${columns('integer', 'text', 'integer', 'float8', 'uuid', 'bigint', 'text', 'inet')})
      w (n, key, burst, per_second, session_id, counter, user_agent, ip)),
  found as materialized (
    select a.n, a.free, s.id as session_id, s.user_id, s.refresh_counter, s.first_counter, s.aal, s.amr,
      s.refreshed_at > now() - $9::float8 * interval '1 second' as fresh,
      case
        when s.id is null then 'gone'
        when u.banned_until > now() then 'banned'
        when s.superseded_at is not null then 'superseded'
        when ${olderThan('s.created_at', '$10')} then 'past_time_box'
        when ${olderThan('s.last_active_at', '$11')} then 'inactive'
        when ${olderThan('s.created_at', '$12')} and s.aal = 'aal1'
          and exists (select from auth_factor f where f.user_id = u.id and f.status = 'verified') then 'past_low_aal'
      end as refusal
    from asked a left join auth_session s on s.id = a.session_id and a.free left join auth_user u on u.id = s.user_id),
  moved as (
    update auth_session s set refresh_counter = a.counter + 1, user_agent = a.user_agent, ip = a.ip,
      refreshed_at = now(), last_active_at = now()
    from asked a join found f using (n)
    where s.id = f.session_id and f.refusal is null and s.refresh_counter <= a.counter
      and s.id in (select id from auth_session where id = any(${column(5, 'uuid')}) for no key update skip locked)
    returning a.n)
  select f.n, f.free, f.refusal, f.refresh_counter, f.first_counter, f.aal as session_aal, f.amr as session_amr, f.fresh,
    f.n in (select n from moved) as moved, ${userColumnsText}, set_config('synchronous_commit', 'off', true)
  from found f left join auth_user u on u.id = f.user_id`

const takeStep = batchPer(
  async ({ database, settings }: LimitNeeds, refreshes: readonly Refresh[]): Promise<Step[]> => {
    const inTurn = inOrderOfKeys(refreshes, ({ bucket }) => bucket)
    const each = (of: (refresh: Refresh) => unknown) => inTurn.map(([, refreshing]) => of(refreshing))
    const { timeBoxSeconds, inactivitySeconds, lowAalSeconds } = settings.sessions
    const { rows } = await database.pool.query<Step>({
      name: 'auth.refresh-sessions',
      text: step,
      values: [
        inTurn.map(([n]) => n),
        ...bucketColumns(inTurn.map(([, { bucket }]) => bucket)),
        each(({ token }) => token.sessionId),
        each(({ token }) => String(token.counter)),
        each(({ visitor }) => visitor.userAgent),
        each(({ visitor }) => visitor.ip),
        settings.refreshReuseSeconds,
        timeBoxSeconds,
        inactivitySeconds,
        lowAalSeconds,
      ],
    })
    return rows.toSorted((a, b) => a.n - b.n)
  },
)

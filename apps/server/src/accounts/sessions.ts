/** The signed-in sessions of a user. Ending one is effective with its next call; what it holds open ends within a second. */
import type { LoginSession } from '@ingot/contracts/accounts'
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import { describeDevice } from '../auth/sessions/device.ts'
import type { Db, Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import type { SessionCaller } from '../http/bind.ts'

interface SessionRow extends Omit<LoginSession, 'device' | 'browser'> {
  readonly user_agent: string | null
}

/** The asking one first, then by last activity. The cursor is `time|id` of the last line. */
export async function listSessions(
  db: Db,
  caller: SessionCaller,
  filter: { readonly cursor?: string; readonly limit: number },
): Promise<{ items: LoginSession[]; next_cursor: string | null }> {
  const [cursorAt, cursorId] = parseCursor(filter.cursor)
  const { rows } = await sql<SessionRow>`
    with mine as (
      select id, user_agent, host(ip) as ip, created_at, date_trunc('milliseconds', last_active_at) as last_active_at,
        id = ${caller.sessionId} as is_current, aal
      from auth_session where user_id = ${caller.userId} and superseded_at is null)
    select * from mine
    where ${cursorAt}::timestamptz is null
      or (not is_current and (last_active_at, id) < (${cursorAt}::timestamptz, ${cursorId}::uuid))
    order by is_current desc, last_active_at desc, id desc limit ${filter.limit + 1}`.execute(db)
  const page = rows.slice(0, filter.limit)
  const last = page.at(-1)
  return {
    items: page.map(present),
    next_cursor: rows.length > filter.limit && last ? cursorOf(last) : null,
  }
}

function present({ user_agent, ...row }: SessionRow): LoginSession {
  const { device, browser } = describeDevice(user_agent)
  return { ...row, device, browser }
}

/** After the asking one come all others, whatever its own time. */
const cursorOf = (row: SessionRow): string => `${row.is_current ? 'infinity' : row.last_active_at}|${row.id}`
const cursorForm = /^(infinity|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\|([0-9a-f-]{36})$/
const parseCursor = (cursor: string | undefined): [string | null, string | null] => {
  const match = cursorForm.exec(cursor ?? '')
  return match ? [match[1]!, match[2]!] : [null, null]
}

export async function endSession(tx: Tx, caller: SessionCaller, id: string, at: string): Promise<void> {
  if (id.toLowerCase() === caller.sessionId)
    throw new IngotError('invalid_state', { message: 'Cannot terminate current session' })
  const ended = await tx
    .deleteFrom('auth_session')
    .where('id', '=', id)
    .where('user_id', '=', caller.userId)
    .executeTakeFirst()
  if (!ended.numDeletedRows) throw new IngotError('not_found')
  await appendEvent(tx, { userId: caller.userId, type: 'session.ended', at })
}

/** Returns how many there were. */
export async function endOtherSessions(tx: Tx, caller: SessionCaller, at: string): Promise<number> {
  const ended = await tx
    .deleteFrom('auth_session')
    .where('user_id', '=', caller.userId)
    .where('id', '<>', caller.sessionId)
    .returning('superseded_at')
    .execute()
  // Superseded ones had ended before and were not shown.
  const count = ended.filter(row => row.superseded_at === null).length
  if (count) await appendEvent(tx, { userId: caller.userId, type: 'session.ended', at })
  return count
}

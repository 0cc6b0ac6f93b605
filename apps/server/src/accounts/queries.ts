/** Every read of an account by its owner: profile, settings, API key, sessions, and what deleting it would mean. */
import {
  type AccountDeletion,
  type ApiKey,
  defaultUserSettings,
  type DeletionBlock,
  type LoginSession,
  type Profile,
  type UserSettings,
  volumeGraceDays,
} from '@ingot/contracts/accounts'
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import { getProof } from '../auth/own-proof.ts'
import { describeDevice } from '../auth/sessions/device.ts'
import type { Db, Tx } from '../db/database.ts'
import { page, type Page, type Paging, readCursor, timeOrInfinity, uuid } from '../db/page.ts'
import type { SessionCaller } from '../http/bind.ts'
import { keyColumns } from './api-key.ts'

/** Every account has one from its first moment until it is deleted: a trigger makes it. */
export const getProfile = (db: Db | Tx, userId: string): Promise<Profile> =>
  db
    .selectFrom('profiles')
    .innerJoin('auth_user', 'auth_user.id', 'profiles.user_id')
    .selectAll('profiles')
    .select('auth_user.password_dropped')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow(() => new IngotError('not_authenticated'))

export const settingNames = Object.keys(defaultUserSettings) as (keyof UserSettings)[]

/** Without a row the defaults stand, which are the table's own. */
export async function getSettings(db: Db | Tx, userId: string): Promise<UserSettings> {
  const row = await db
    .selectFrom('user_settings')
    .select(settingNames)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row ?? defaultUserSettings
}

export async function getApiKey(db: Db | Tx, userId: string): Promise<ApiKey | null> {
  const { rows } = await sql<ApiKey>`
    select ${keyColumns} from api_keys where user_id = ${userId} and is_active`.execute(db)
  return rows[0] ?? null
}

interface SessionRow extends Omit<LoginSession, 'device' | 'browser'> {
  readonly user_agent: string | null
}

/** The asking one first, then by last activity. The cursor is `time|id` of the last line. */
export async function listSessions(
  db: Db,
  caller: SessionCaller,
  filter: Paging,
): Promise<Page<LoginSession>> {
  const [cursorAt, cursorId] = readCursor(filter.cursor, [timeOrInfinity, uuid]) ?? [null, null]
  const { rows } = await sql<SessionRow>`
    with mine as (
      select id, user_agent, host(ip) as ip, created_at, date_trunc('milliseconds', last_active_at) as last_active_at,
        id = ${caller.sessionId} as is_current, aal
      from auth_session where user_id = ${caller.userId} and superseded_at is null)
    select * from mine
    where ${cursorAt}::timestamptz is null
      or (not is_current and (last_active_at, id) < (${cursorAt}::timestamptz, ${cursorId}::uuid))
    order by is_current desc, last_active_at desc, id desc limit ${filter.limit + 1}`.execute(db)
  const { items, next_cursor } = page(rows, filter.limit, cursorOf)
  return { items: items.map(present), next_cursor }
}

/** All others come after the asking one, whatever its own time. */
const cursorOf = ({ id, is_current, last_active_at }: SessionRow) => [
  is_current ? 'infinity' : last_active_at,
  id,
]

function present({ user_agent, ...row }: SessionRow): LoginSession {
  const { device, browser } = describeDevice(user_agent)
  return { ...row, device, browser }
}

/** What deleting an account would mean now, whoever does it. */
export async function whatDeletionMeans(
  db: Db,
  userId: string,
  at: string,
): Promise<Omit<AccountDeletion, 'proof'>> {
  const { rows } = await sql<{
    balance_usd: string
    instances: number
    running: number
    volumes: number
    snapshots: number
    blocked_by: DeletionBlock[]
  }>`
    select usd(balance_after_closing(${userId}, ${at})) as balance_usd, open_holds(${userId}) as blocked_by,
      (select count(*)::int from network_volumes where user_id = ${userId} and status <> 'deleting') as volumes,
      (select count(*)::int from volume_snapshots where user_id = ${userId} and status <> 'deleting') as snapshots,
      count(*)::int as instances, (count(*) filter (where status in ('starting', 'running')))::int as running
    from gpu_instances where user_id = ${userId} and status <> 'terminated' and desired <> 'deleted'`.execute(
    db,
  )
  return { ...rows[0]!, volume_grace_days: volumeGraceDays }
}

export async function getDeletion(db: Db, caller: SessionCaller, at: string): Promise<AccountDeletion> {
  const means = await whatDeletionMeans(db, caller.userId, at)
  const { kind } = await getProof(db, caller)
  return { ...means, proof: kind }
}

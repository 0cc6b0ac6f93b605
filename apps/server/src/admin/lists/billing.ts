/**
 * The bills of all users as one list: the same lines as each user reads of their own. Whoever is meant by few is read by
 * their index; whatever has none looks at so many movements for one page (`mostLookedAt`).
 */
import type { AdminBillingEntry } from '@ingot/contracts/admin/billing'
import type { BillingEntry } from '@ingot/contracts/billing'
import { isId as isWholeId } from '@ingot/contracts/operation'
import { type RawBuilder, sql } from 'kysely'
import {
  codesOf,
  depositDescription,
  depositLine,
  description,
  firstPlace,
  kindOf,
  type Line,
  mergeLines,
  movementLine,
  movementStatus,
  returning,
} from '../../billing/queries.ts'
import type { Db } from '../../db/database.ts'
import {
  mostLookedAt,
  type Page,
  type Paging,
  readCursor,
  serial,
  timeOrInfinity,
  uuid,
} from '../../db/page.ts'
import { isId, readSearch, type Wanted } from '../../auth/search.ts'

/** So many users are each read by the index of their movements. */
const mostByIndex = 100

export interface AllBillingFilter {
  readonly search?: string
  readonly status?: BillingEntry['status']
  readonly kind?: BillingEntry['kind']
  readonly user_id?: string
  readonly from?: string
  readonly to?: string
}

/** Whose lines are meant, and which of them. */
export interface BillingSearch {
  /** Null: any user's. */
  readonly users: readonly string[] | null
  /** Of a movement `t` and of a deposit `d`. */
  readonly movement: RawBuilder<unknown>
  readonly deposit: RawBuilder<unknown>
}

const all = sql`true`
const either = (...conditions: RawBuilder<unknown>[]) => sql`(${sql.join(conditions, sql` or `)})`

export async function readBillingSearch(
  db: Db,
  text: string | undefined,
  userId?: string,
): Promise<BillingSearch> {
  const own = userId ? [userId] : null
  const wanted = await readSearch(db, text)
  if (!wanted) return { users: own, movement: all, deposit: all }
  if (isWholeId(wanted.text)) return oneThing(db, wanted.text.toLowerCase(), own)
  const { users, ids } = wanted
  if (users && users.length > 0 && users.length <= mostByIndex && (!own || users.includes(userId!)))
    return { users: own ?? users, movement: all, deposit: all }
  const line = await lineBy(db, ids)
  if (line)
    return {
      users: own ?? [line.userId],
      movement: sql`t.idem = ${line.id}`,
      deposit: sql`d.id = ${line.id}`,
    }
  const words = (text: RawBuilder<unknown>) => sql`position(lower(${wanted.text}) in lower(${text})) > 0`
  const theirs = (id: RawBuilder<unknown>) => sql`${id} = any(${users ?? []}::uuid[])`
  return {
    users: own,
    movement: either(words(description), theirs(sql`t.user_id`)),
    deposit: either(words(depositDescription), theirs(sql`d.user_id`)),
  }
}

/** The id of a user, of a line, or of what lines are about. */
async function oneThing(db: Db, id: string, own: readonly string[] | null): Promise<BillingSearch> {
  const { rows } = await sql<{ user_id: string; is_user: boolean }>`
    select id as user_id, true as is_user from auth_user where id = ${id}
    union all select user_id, false from meter where id = ${id}
    union all select user_id, false from ledger_transfer where idem = ${id} and user_id is not null
    union all select user_id, false from chain_deposit where id = ${id} limit 1`.execute(db)
  const [found] = rows
  const users = own ?? (found ? [found.user_id] : [])
  if (found?.is_user)
    return { users: users.filter(user => user === found.user_id), movement: all, deposit: all }
  return { users, movement: sql`(t.ref = ${id} or t.idem = ${id})`, deposit: sql`d.id = ${id}` }
}

async function lineBy(
  db: Db,
  ids: Wanted['ids'],
): Promise<{ readonly id: string; readonly userId: string } | null> {
  if (!ids) return null
  const { rows } = await sql<{ id: string; userId: string }>`
    (select idem as id, user_id as "userId" from ledger_transfer where ${isId(sql`idem`, ids)} and user_id is not null limit 1)
    union all (select id, user_id from chain_deposit where ${isId(sql`id`, ids)} and state <> 'credited' limit 1) limit 1`.execute(
    db,
  )
  return rows[0] ?? null
}

export async function listAllBilling(
  db: Db,
  { search, status, kind, user_id, from, to, cursor, limit }: AllBillingFilter & Paging,
): Promise<Page<AdminBillingEntry>> {
  const [number, depositAt, depositId] = readCursor(cursor, [serial, timeOrInfinity, uuid]) ?? firstPlace
  const { users, movement, deposit } = await readBillingSearch(db, search, user_id)
  const codes = status && codesOf[status]
  const ofStatus = codes
    ? sql`t.code = any(${codes})`
    : status === 'paid'
      ? sql`t.code <> all(${returning})`
      : all
  const isInTime = (at: RawBuilder<unknown>) =>
    sql`${from ? sql`${at} >= ${from}::timestamptz` : all} and ${to ? sql`${at} < ${to}::timestamptz + interval '1 day'` : all}`
  const isLine = sql`w.account_id in (t.from_account, t.to_account) and ${movement} and ${isInTime(sql`t.effective_at`)}
    and ${status ? sql`${movementStatus} = ${status}` : all} and ${kind ? sql`${kindOf} = ${kind}` : all}`
  // No movement after the last one of the time that is asked for is looked at.
  const lastOf = to ? sql`and t.id <= last_transfer_of(${to}::date)` : sql``
  // The wallet beside each of them, and not joined: a join is planned as if it left few, and then reads all to sort them.
  const newest = sql`
    select t.*, (select account_id from wallets where user_id = t.user_id) as account_id from ledger_transfer t
    where t.id < ${number}::bigint and ${ofStatus} ${lastOf} order by t.id desc`
  const moved = users
    ? sql`
      select line.* from unnest(${users}::uuid[]) o(id) cross join lateral (
        select ${movementLine} from ledger_transfer t join wallets w on w.user_id = t.user_id left join meter m on m.id = t.ref
        where t.user_id = o.id and t.id < ${number}::bigint and ${ofStatus} and ${isLine} order by t.id desc limit ${limit + 1}) line
      order by number desc limit ${limit + 1}`
    : sql`
      select ${movementLine} from (${newest} limit ${mostLookedAt}) t cross join lateral (select t.account_id) w left join meter m on m.id = t.ref
      where ${isLine} order by t.id desc limit ${limit + 1}`
  // What was booked before the time that is asked for took effect before it: there is no line of it below.
  const isAbove = from
    ? sql`recorded_at + (select offset_ms from business_clock) * interval '1 ms' >= ${from}::timestamptz`
    : all
  const lookedTo = users
    ? sql`null::bigint`
    : sql`case when (select count(*) from moved) <= ${limit} then (
        select id from (${newest} offset ${mostLookedAt - 1} limit 1) t where ${isAbove}) end`
  // In one statement: what arrives meanwhile would move the last one that was looked at.
  const { rows } = await sql<Line & AdminBillingEntry>`
    with moved as materialized (${moved}),
    arriving as (
      select ${depositLine} from chain_deposit d
      where d.state <> 'credited' and (d.block_at, d.id) < (${depositAt}::timestamptz, ${depositId}::uuid)
        and ${users ? sql`d.user_id = any(${users}::uuid[])` : all} and ${deposit} and ${isInTime(sql`d.block_at`)}
        and ${status ? sql`(d.state in ('orphaned', 'rejected')) = (${status} = 'failed') and ${status} in ('failed', 'pending')` : all}
        and ${(kind ?? 'deposit') === 'deposit'}
      order by d.block_at desc, d.id desc limit ${limit + 1})
    select ${lookedTo} as looked_to, line.*, (select email from auth_user where id = line.user_id) as user_email
    from (values (1)) page left join (select * from moved union all select * from arriving) line on true`.execute(
    db,
  )
  return mergeLines(rows, limit, { number, depositAt, depositId })
}

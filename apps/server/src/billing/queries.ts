/**
 * The billing history is a reading of the ledger: one line per transfer that moved the wallet, and deposits still on
 * their way. No line is stored beside the ledger, so none can differ from it.
 */
import type { BillingEntry } from '@ingot/contracts/billing'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { page, type Page, type Paging, readCursor, time, uuid } from '../db/page.ts'

export interface BillingFilter extends Paging {
  readonly search?: string
  readonly status?: string
}

/** As it is read: movements keep amounts with every digit in their words, also those that an older version wrote. */
const description = sql`case t.code
  when 'deposit' then 'Deposit of ' || amount_text(t.amount_micro) || ' USDT'
  when 'usage' then regexp_replace(t.description, '(\\.\\d\\d\\d*?)0+ per hour$', '\\1 per hour')
  else t.description end`

/** Newest first. The cursor is `time|id` of the last line. */
export async function listBilling(
  db: Db,
  userId: string,
  filter: BillingFilter,
): Promise<Page<BillingEntry>> {
  const [cursorAt, cursorId] = readCursor(filter.cursor, [time, uuid]) ?? [null, null]
  const { rows } = await sql<BillingEntry>`
    with entry as (
      select t.idem as id, t.user_id, ${description} as description, usd(case when t.to_account = w.account_id then t.amount_micro else -t.amount_micro end) as amount,
        case t.code when 'return' then 'refunded' when 'usage_return' then 'refunded' when 'release' then 'refunded' when 'hold' then 'pending' else 'paid' end as status,
        case when t.code in ('deploy', 'usage', 'usage_return', 'return', 'term') then t.ref end as instance_id, t.effective_at as created_at
      from wallets w join ledger_transfer t on t.user_id = w.user_id and w.account_id in (t.from_account, t.to_account)
      where w.user_id = ${userId}
      union all
      select d.id, d.user_id,
        'Deposit of ' || amount_text(d.amount_micro) || ' USDT, ' || case d.state
          when 'held' then 'below the minimum: credited with the next' when 'orphaned' then 'dropped by the network' else 'arriving' end,
        usd(d.amount_micro), case d.state when 'orphaned' then 'failed' else 'pending' end, null, d.block_at
      from chain_deposit d where d.user_id = ${userId} and d.state <> 'credited')
    select * from entry
    where (${cursorAt}::timestamptz is null or (created_at, id) < (${cursorAt}::timestamptz, ${cursorId}::uuid))
      and (${filter.status ?? null}::text is null or status = ${filter.status ?? null})
      and (${filter.search ?? null}::text is null or position(lower(${filter.search ?? ''}) in lower(description)) > 0)
    order by created_at desc, id desc limit ${filter.limit + 1}`.execute(db)
  return page(rows, filter.limit, last => [last.created_at, last.id])
}

export interface Spending {
  readonly month_start: string
  readonly spent: string
  readonly usage_minutes: number
  readonly total_spent: string
  readonly pending: string
}

/** Spent: what left the wallet since the first of the month, UTC, less usage that was returned, with what has accrued but is not settled yet. */
export async function getSpending(db: Db, userId: string, at: string): Promise<Spending> {
  const monthStart = `${at.slice(0, 7)}-01T00:00:00.000Z`
  const { rows } = await sql<Omit<Spending, 'month_start'>>`
    with paid as (
      select case t.code when 'usage_return' then -t.amount_micro else t.amount_micro end as amount_micro, t.effective_at
      from wallets w join ledger_transfer t on t.user_id = w.user_id
        and (t.from_account = w.account_id and t.code <> 'hold' or t.to_account = w.account_id and t.code = 'usage_return')
      where w.user_id = ${userId}
    ), accrued as (select coalesce(wallet_accrued(${userId}, ${at}), 0) as micro)
    select usd((select coalesce(sum(amount_micro), 0)::bigint from paid where effective_at >= ${monthStart}::timestamptz) + accrued.micro) as spent,
      usd((select coalesce(sum(amount_micro), 0)::bigint from paid) + accrued.micro) as total_spent,
      usd((select coalesce(sum(amount_micro), 0)::bigint from chain_deposit where user_id = ${userId} and state in ('pending', 'held'))) as pending,
      round((coalesce((select sum(extract(epoch from to_at - greatest(from_at, ${monthStart}::timestamptz))) from usage_line
          where user_id = ${userId} and to_at > ${monthStart}::timestamptz), 0)
        + coalesce((select sum(extract(epoch from least(${at}::timestamptz, horizon_of(m)) - greatest(metered_to, ${monthStart}::timestamptz)))
          from meter m where user_id = ${userId} and greatest(metered_to, ${monthStart}::timestamptz) < least(${at}::timestamptz, horizon_of(m))), 0)
        - coalesce((select sum(extract(epoch from to_at - greatest(from_at, ${monthStart}::timestamptz))) from usage_return
          where user_id = ${userId} and to_at > ${monthStart}::timestamptz), 0)) / 60, 3)::float8 as usage_minutes
    from accrued`.execute(db)
  return { month_start: monthStart, ...rows[0]! }
}

/**
 * The billing history is a reading of the ledger: one line per transfer that moved the wallet, and deposits still on
 * their way. No line is stored beside the ledger, so none can differ from it. What is spent in all is summed behind the
 * movements (`roll_up_spending`); the newest are added here.
 */
import type { billedKinds, BillingEntry, Receipt } from '@ingot/contracts/billing'
import { IngotError } from '@ingot/contracts/errors'
import { type RawBuilder, sql } from 'kysely'
import { type Database, type Db, named } from '../db/database.ts'
import { mostLookedAt, type Page, type Paging, readCursor, serial, timeOrInfinity, uuid } from '../db/page.ts'

export interface BillingFilter {
  readonly search?: string
  readonly status?: BillingEntry['status']
  readonly kind?: BillingEntry['kind']
  readonly about?: (typeof billedKinds)[number]
  readonly instance?: string
  readonly from?: string
  readonly to?: string
}

export interface Line extends BillingEntry {
  /** The movement's number; null for a deposit on its way. */
  readonly number: bigint | null
  /** The number of the last movement that the page looked at, where there are more of them. */
  readonly looked_to: bigint | null
}

/** Codes of movements that may be of a status; an index of their own holds them. Of all others each is paid. */
export const codesOf: Partial<Record<BillingEntry['status'], readonly string[]>> = {
  pending: ['hold'],
  refunded: ['release', 'return', 'usage_return', 'hold'],
  failed: [],
}
export const returning = ['release', 'return', 'usage_return']

/** As it is read: movements keep amounts with every digit in their words, also those that an older version wrote. */
export const description = sql`case t.code
  when 'deposit' then 'Deposit of ' || amount_text(t.amount_micro) || ' USDT'
  when 'usage' then regexp_replace(t.description, '(\\.\\d\\d\\d*?)0+ per hour$', '\\1 per hour')
  else t.description end`
/** Of a movement `t` about the meter `m`. A term is paid for until then, however long ago that was. */
export const kindOf = sql`case when t.code = 'deploy' and m.paid_until is not null then 'term'
  when t.code in ('renewal', 'growth') or t.code = 'deploy' and m.month_micro is not null then 'month'
  when t.code = 'usage_return' then 'return' when t.code = 'release' then 'hold' when t.code in ('refund', 'forfeit') then 'payout'
  when t.code in ('credit_used', 'credit_back') then 'promotion'
  else t.code end`
/** What was set aside for a withdrawal is what became of that; for a place in the queue, it is back once nothing waits. */
export const movementStatus = sql`case when t.code = any(${returning}) then 'refunded' when t.code = 'hold' then coalesce((
    select case o.state when 'paid' then 'paid' when 'cancelled' then 'refunded' when 'refused' then 'refunded' end
    from withdrawal o where o.user_id = t.user_id and t.idem = key_of('withdrawal:' || o.id)), (
    select case when exists (select from instance_queue q where q.user_id = t.user_id and t.idem = key_of('queue:' || q.id)) then 'pending' else 'refunded' end
    from ledger_account a where a.id = t.to_account and a.kind = 'queue'), 'pending')
  else 'paid' end`
/** Of a movement `t` of the wallet `w`, about the meter `m`. */
export const movementLine = sql`t.id as number, t.idem as id, t.user_id, ${kindOf} as kind, ${description} as description,
  usd(case when t.to_account = w.account_id then t.amount_micro else -t.amount_micro end) as amount,
  ${movementStatus} as status,
  case when m.id is not null then jsonb_build_object('kind', m.kind, 'id', m.id) end as about,
  case m.kind when 'instance' then m.id end as instance_id, t.effective_at as created_at`
export const depositDescription = sql`'Deposit of ' || amount_text(d.amount_micro) || ' USDT, ' || case d.state
  when 'held' then case d.held_reason when 'review' then 'held for review' else 'below the minimum: credited with the next' end
  when 'orphaned' then 'dropped by the network' when 'rejected' then 'not accepted' else 'arriving' end`

/** Of a deposit `d` that has not moved the wallet. */
export const depositLine = sql`null::bigint as number, d.id, d.user_id, 'deposit' as kind, ${depositDescription} as description, usd(d.amount_micro) as amount,
  case when d.state in ('orphaned', 'rejected') then 'failed' else 'pending' end as status, null::jsonb as about, null::uuid as instance_id, d.block_at as created_at`

/** Before the first page. */
export const firstPlace = ['9'.repeat(18), 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'] as const

/**
 * The newest movement first, and among them the deposits on their way, by time. The cursor is how far both were read:
 * the movement's number, and time and id of the deposit. The whole list is one named statement: to plan it took three
 * times as long as to run it.
 */
export async function listBilling(
  database: Pick<Database, 'kysely' | 'pool'>,
  userId: string,
  { search, status, kind, about, instance, from, to, cursor, limit }: BillingFilter & Paging,
): Promise<Page<BillingEntry>> {
  const [number, depositAt, depositId] = readCursor(cursor, [serial, timeOrInfinity, uuid]) ?? firstPlace
  const codes = status && codesOf[status]
  // The wallet beside each of them, and not joined: a join is planned as if it left few, and then reads all to sort them.
  const movements = sql`
    select *, (select account_id from wallets where user_id = ${userId}) as account_id from ledger_transfer where user_id = ${userId} and id < ${number}::bigint
      and ${codes ? sql`code = any(${codes})` : status === 'paid' ? sql`code <> all(${returning})` : sql`true`}
    order by id desc`
  const matches = (words: RawBuilder<unknown>) =>
    search ? sql`position(lower(${search}) in lower(${words})) > 0` : sql`true`
  const isInTime = (at: RawBuilder<unknown>) =>
    sql`${from ? sql`${at} >= ${from}::timestamptz` : sql`true`} and ${to ? sql`${at} < ${to}::timestamptz + interval '1 day'` : sql`true`}`
  // In one statement: what arrives meanwhile would move the last one that was looked at.
  const query = sql<Line>`
    with moved as materialized (
      select ${movementLine}
      from (${movements} limit ${mostLookedAt}) t cross join lateral (select t.account_id) w left join meter m on m.id = t.ref
      where w.account_id in (t.from_account, t.to_account) and ${matches(description)} and ${status ? sql`${movementStatus} = ${status}` : sql`true`} and ${isInTime(sql`t.effective_at`)} and ${kind ? sql`${kindOf} = ${kind}` : sql`true`}
        and ${instance ? sql`m.id = ${instance} and m.kind = 'instance'` : sql`true`} and ${about ? sql`m.kind = ${about}` : sql`true`}
      order by t.id desc limit ${limit + 1}),
    arriving as (
      select ${depositLine}
      from chain_deposit d
      where d.user_id = ${userId} and d.state <> 'credited' and (d.block_at, d.id) < (${depositAt}::timestamptz, ${depositId}::uuid)
        and ${status ? sql`(d.state in ('orphaned', 'rejected')) = (${status} = 'failed') and ${status} in ('failed', 'pending')` : sql`true`}
        and ${matches(depositDescription)} and ${isInTime(sql`d.block_at`)}
        and ${!instance && !about && (kind ?? 'deposit') === 'deposit'}
      order by d.block_at desc, d.id desc limit ${limit + 1})
    select case when (select count(*) from moved) <= ${limit} then (
      select id from (${movements} offset ${mostLookedAt - 1} limit 1) t) end as looked_to, line.*
    from (values (1)) page left join (select * from moved union all select * from arriving) line on true`
  const isWhole = !(search || status || kind || about || instance || from || to)
  const { rows } = await (isWhole ? named('billing.list', query, database) : query.execute(database.kysely))
  return mergeLines(rows, limit, { number, depositAt, depositId })
}

interface Place {
  readonly number: string
  readonly depositAt: string
  readonly depositId: string
}

/** Movements and deposits on their way, each the newest first, as one page. `from` is where it began. */
export function mergeLines<Row extends Line>(
  rows: readonly Row[],
  limit: number,
  from: Place,
): Page<Omit<Row, 'number' | 'looked_to'>> {
  const lookedTo = rows[0]!.looked_to
  // Where there is no line at all, one row says how far it was looked.
  const lines = rows.filter(row => row.id !== null)
  const moved = lines.filter(row => row.number !== null)
  const arriving = lines.filter(row => row.number === null)

  const items: Omit<Row, 'number' | 'looked_to'>[] = []
  let [m, a] = [0, 0]
  while (items.length < limit) {
    const [movement, deposit] = [moved[m], arriving[a]]
    // A movement that was not looked at yet may be newer than the deposits that are left.
    if (!movement && (!deposit || lookedTo)) break
    const isMovement = movement && (!deposit || movement.created_at >= deposit.created_at)
    const { number: _, looked_to: __, ...line } = isMovement ? movement : deposit!
    items.push(line)
    if (isMovement) m++
    else a++
  }
  if (m === moved.length && a === arriving.length && !lookedTo) return { items, next_cursor: null }
  const deposit = arriving[a - 1]
  return {
    items,
    next_cursor: [
      m === moved.length && lookedTo ? lookedTo : (moved[m - 1]?.number ?? from.number),
      deposit?.created_at ?? from.depositAt,
      deposit?.id ?? from.depositId,
    ].join('|'),
  }
}

interface Found
  extends
    Omit<Line, 'looked_to'>,
    Pick<Receipt, 'balance_before' | 'balance_after' | 'instance' | 'storage' | 'deposit'> {
  readonly month_to: string | null
  /** Null: nothing was measured for it. */
  readonly from_at: string | null
  readonly to_at: string
  readonly ms: bigint
  readonly price: string
  readonly prepaid: string
  readonly wallet: string
  readonly used: string
  readonly credit: string
  readonly remainder_before: bigint
  readonly remainder_after: bigint
  readonly is_return: boolean
}

/** What one line is made of: its movement, what was measured for it, and what it was about. */
export async function getReceipt(db: Db, userId: string, id: string): Promise<Receipt> {
  const { rows } = await sql<Found>`
    with line as (
      select ${movementLine}, t.code, t.ref, usd(own.after + case when t.to_account = w.account_id then -t.amount_micro else t.amount_micro end) as balance_before,
        usd(own.after) as balance_after
      from ledger_transfer t join wallets w on w.user_id = ${userId} and w.account_id in (t.from_account, t.to_account)
        cross join lateral (select case when t.to_account = w.account_id then t.to_after_micro else t.from_after_micro end as after) own
        left join meter m on m.id = t.ref
      where t.idem = ${id} and t.user_id = ${userId}
      union all
      select ${depositLine}, 'deposit', d.id, null, null from chain_deposit d
      where d.id = ${id} and d.user_id = ${userId} and d.state <> 'credited'),
    measured as (
      select u.meter_id, u.from_at, u.to_at, u.price_micro, u.amount_micro, u.prepaid_micro, u.wallet_micro, u.prepaid_credit_micro + u.credit_micro as credit_micro,
        u.remainder_before, u.remainder_after, false as is_return
      from line join usage_line u on line.code in ('usage', 'credit_used') and u.meter_id = line.ref and u.to_at = line.created_at
      union all
      select r.meter_id, r.from_at, r.to_at, r.price_micro, r.amount_micro, 0, r.amount_micro, r.credit_micro, r.remainder_before, r.remainder_after, true
      from line join usage_return r on line.code = 'usage_return' and r.meter_id = line.ref and key_of('usage_return:' || r.id) = line.id)
    select line.*, u.from_at, u.to_at, ms_of(u.to_at) - ms_of(u.from_at) as ms, usd(u.price_micro) as price, usd(u.prepaid_micro) as prepaid,
      usd(u.wallet_micro) as wallet, usd(u.amount_micro) as used, usd(u.credit_micro) as credit, u.remainder_before, u.remainder_after, u.is_return,
      (select jsonb_build_object('id', i.id, 'name', i.name, 'status', i.status, 'gpu_type', i.gpu_type, 'gpu_count', i.gpu_count, 'region', i.region)
        from gpu_instances i where i.id = line.instance_id) as instance,
      (select jsonb_build_object('kind', m.kind, 'id', m.id, 'volume_id', s.volume_id, 'name', coalesce(v.name, s.name, m.label),
          'size_gb', coalesce(v.size_gb, s.size_gb), 'region', coalesce(v.region, s.region))
        from meter m left join network_volumes v on v.id = m.id left join volume_snapshots s on s.id = m.id
        where m.id = line.ref and m.user_id = ${userId} and m.kind in ('volume', 'snapshot')) as storage,
      (select line.created_at + k.renews_ms * interval '1 ms' from meter m join meter_kind k on k.id = m.kind
        where line.kind = 'month' and line.code <> 'growth' and m.id = line.ref) as month_to,
      (select jsonb_build_object('chain', d.chain, 'txid', encode(d.txid, 'hex'), 'block_number', d.block_number)
        from chain_deposit d where line.code = 'deposit' and d.id = line.ref) as deposit
    from line left join measured u on true`.execute(db)
  const found = rows[0]
  if (!found) throw new IngotError('not_found')
  const {
    id: ownId,
    user_id,
    kind,
    description: words,
    amount,
    status,
    about,
    instance_id,
    created_at,
  } = found
  return {
    entry: { id: ownId, user_id, kind, description: words, amount, status, about, instance_id, created_at },
    number: found.number === null ? null : String(found.number),
    balance_before: found.balance_before,
    balance_after: found.balance_after,
    usage:
      found.from_at === null
        ? null
        : {
            from: found.from_at,
            to: found.to_at,
            ms: Number(found.ms),
            price_per_hour: found.price,
            prepaid: found.prepaid,
            wallet: found.wallet,
            credit: found.credit,
            amount: found.used,
            carried_in: Number(found.remainder_before),
            carried_out: Number(found.remainder_after),
            is_return: found.is_return,
          },
    instance: found.instance,
    storage: found.storage,
    month: found.month_to === null ? null : { from: found.created_at, to: found.month_to },
    deposit: found.deposit,
  }
}

export interface Spending {
  readonly month_start: string
  readonly spent: string
  readonly usage_minutes: number
  readonly total_spent: string
  readonly pending: string
  readonly arriving: string
}

/**
 * Spent: what left the wallet since the first of the month, UTC, less usage that was returned, with what has accrued since
 * but is not settled yet. What ran before the first counts in its own month, whenever it is settled.
 */
export async function getSpending(db: Db, userId: string, at: string): Promise<Spending> {
  const monthStart = `${at.slice(0, 7)}-01T00:00:00.000Z`
  const { rows } = await sql<Omit<Spending, 'month_start'>>`
    with counted as (
      select coalesce(max(transfer_id), 0) as transfer_id, coalesce(max(line_id), 0) as line_id, coalesce(max(return_id), 0) as return_id
      from spending_counted where user_id = ${userId}),
    by_month as (
      select month, spent_micro, used_ms from spending_month where user_id = ${userId}
      union all
      select s.month, s.spent_micro, 0 from counted, spent_after(${userId}, transfer_id) s
      union all
      select u.month, 0, u.used_ms from counted, used_after(${userId}, line_id, return_id) u),
    settled as (
      select coalesce(sum(spent_micro), 0)::bigint as total_micro,
        coalesce(sum(spent_micro) filter (where month = ${monthStart}::date), 0)::bigint as month_micro,
        coalesce(sum(used_ms) filter (where month = ${monthStart}::date), 0) as month_ms
      from by_month),
    running as (
      select coalesce(wallet_accrued(${userId}, ${at}), 0) as micro, case when exists (
          select from meter where user_id = ${userId} and is_running and metered_to < ${monthStart}::timestamptz)
        then wallet_accrued(${userId}, ${monthStart}) else 0 end as earlier_micro, coalesce((
        select sum(extract(epoch from least(${at}::timestamptz, horizon_of(m)) - greatest(metered_to, ${monthStart}::timestamptz))) * 1000
        from meter m where user_id = ${userId} and is_running
          and greatest(metered_to, ${monthStart}::timestamptz) < least(${at}::timestamptz, horizon_of(m))), 0) as ms)
    select usd(month_micro + micro - earlier_micro) as spent, usd(total_micro + micro) as total_spent,
      usd((select coalesce(sum(amount_micro), 0)::bigint from chain_deposit where user_id = ${userId} and state in ('pending', 'held'))) as arriving, usd(micro) as pending,
      round((month_ms + ms) / 60000, 3)::float8 as usage_minutes
    from settled, running`.execute(db)
  return { month_start: monthStart, ...rows[0]! }
}

/**
 * The balance of the last days, read from the movements of the wallet: each says what the balance was after it. Of usage
 * the last movement of an hour is enough, because between two of them the balance falls evenly; everything else is a step,
 * so it has a point before and one after. What took effect at one moment is one step: credit that pays for something enters
 * the wallet and leaves it at once.
 */
import type { BalanceHistory } from '@ingot/contracts/billing'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { runwayDays } from '../ledger/ledger.ts'

/** Movements that are read, the newest first. An account that moved more often has a shorter history. */
const mostMovements = 20_000
/** Steps that are drawn as steps, the greatest of them. */
const mostSteps = 200
const mostDeposits = 100
const dayMs = 86_400_000

interface Row {
  /** Null: what the balance was when the time began. */
  readonly at: string | null
  readonly balance: string
  readonly deposit: string | null
  readonly known_from: string | null
}

export async function getBalanceHistory(
  db: Db,
  userId: string,
  days: number,
  at: string,
): Promise<BalanceHistory> {
  const from = new Date(Date.parse(at) - days * dayMs).toISOString()
  // A movement may be written later than it took effect, such as a charge up to the time when the money ended: it stands
  // where the balance was known to be so.
  const { rows } = await sql<Row>`
    with own as (select account_id from wallets where user_id = ${userId}),
    looked as materialized (
      select t.id, t.code, t.amount_micro, t.to_account = own.account_id as is_in, t.effective_at,
        case when t.to_account = own.account_id then t.to_after_micro else t.from_after_micro end as own_after,
        own.account_id in (t.from_account, t.to_account) as is_own
      from own, lateral (
        select * from ledger_transfer where user_id = ${userId} order by id desc limit ${mostMovements + 1}) t),
    known as (
      select case when count(*) > ${mostMovements} then greatest(${from}::timestamptz, min(effective_at)) else ${from}::timestamptz end as at from looked),
    moved as materialized (
      select *, first_value(own_before) over at_once as before, last_value(own_after) over at_once as after
      from (
        select l.*, own_after - case when is_in then amount_micro else -amount_micro end as own_before, max(effective_at) over (order by id) as drawn_at
        from looked l, known where l.is_own and l.effective_at >= known.at) l
      window at_once as (partition by drawn_at order by id rows between unbounded preceding and unbounded following)),
    step as (
      select * from moved where code not in ('usage', 'usage_return', 'credit_used', 'credit_back')
      order by amount_micro desc, id desc limit ${mostSteps}),
    deposit as (
      select id, drawn_at, amount_micro from moved where code = 'deposit' order by id desc limit ${mostDeposits}),
    point as (
      select id, 1 as place, drawn_at as at, after as micro from (
        select distinct on (date_trunc('hour', drawn_at at time zone 'UTC')) * from moved
        order by date_trunc('hour', drawn_at at time zone 'UTC'), id desc) hourly
      union
      select id, 1, drawn_at, after from step
      union
      select id, 0, drawn_at, before from step)
    select null::timestamptz as at, usd(coalesce(
        (select before from moved order by id limit 1), a.balance_micro)) as balance, null as deposit, known.at as known_from, -1::bigint as id, 0 as place
      from own join ledger_account a on a.id = own.account_id, known
    union all select at, usd(micro), null, null, id, place from point
    union all select drawn_at, usd(0), usd(amount_micro), null, id, 2 from deposit
    union all select ${at}::timestamptz, usd(balance_micro), null, null, ${Number.MAX_SAFE_INTEGER}::bigint, 0 from read_wallet(${userId}, ${at}, ${runwayDays})
    order by id, place`.execute(db)
  const known = rows[0]?.known_from ?? from
  return {
    from: known,
    to: at,
    points: rows
      .filter(row => row.deposit === null)
      .map(({ at: time, balance }) => ({ at: time ?? known, balance })),
    deposits: rows.flatMap(({ at: time, deposit }) =>
      deposit === null ? [] : [{ at: time!, amount: deposit }],
    ),
  }
}

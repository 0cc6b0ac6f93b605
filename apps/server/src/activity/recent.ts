/** What happened in the last hours, money that moved included: the log without the charges for usage, which are many. */
import type { activity, RecentItem } from '@ingot/contracts/activity'
import type { Output } from '@ingot/contracts/operation'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { mostLookedAt } from '../db/page.ts'
import { aboutFact, aboutFields, actor, message, shownTypes } from './queries.ts'

/** Movements that are no charge for usage and have no event that says the same. */
const told = ['deposit', 'deploy', 'renewal', 'growth', 'credit', 'debit', 'return']
const hourMs = 3_600_000

export async function listRecent(
  db: Db,
  userId: string,
  { hours, limit }: { readonly hours: number; readonly limit: number },
  now: number,
): Promise<Output<typeof activity.recent>> {
  const from = new Date(now - hours * hourMs).toISOString()
  const { rows } = await sql<RecentItem>`
    with fact as (
      select e.at, replace(e.type, '.', '_') as action, ${aboutFields}, ${message} as message, ${actor} as actor,
        null::text as amount, 1 as place, e.id
      from (
        select * from event where user_id = ${userId} and type <> 'instance.usage_charged' and type = any(${shownTypes}) and at >= ${from}::timestamptz
        order by at desc, id desc limit ${limit + 1}) e
      ${aboutFact}),
    moved as (
      select t.effective_at as at, null as action, i.id as instance_id, i.name as instance_name, v.id as volume_id, v.name as volume_name, false as volume_is_gone,
        case t.code when 'deposit' then 'Deposit of ' || amount_text(t.amount_micro) || ' USDT' else t.description end as message,
        null as actor, usd(case when t.to_account = w.account_id then t.amount_micro else -t.amount_micro end) as amount, 0 as place, t.id
      from (select * from ledger_transfer where user_id = ${userId} order by id desc limit ${mostLookedAt}) t
      join wallets w on w.user_id = ${userId} and w.account_id in (t.from_account, t.to_account)
      left join gpu_instances i on i.id = t.ref and i.user_id = ${userId}
      left join network_volumes v on v.id = t.ref and v.user_id = ${userId}
      where t.code = any(${told}) and t.effective_at >= ${from}::timestamptz
      order by t.id desc limit ${limit + 1})
    select at, action, instance_id, instance_name, volume_id, volume_name, volume_is_gone, message, actor, amount
    from (select * from fact union all select * from moved) item order by at desc, place, id desc limit ${limit + 1}`.execute(
    db,
  )
  return { from, items: rows.slice(0, limit), is_more: rows.length > limit }
}

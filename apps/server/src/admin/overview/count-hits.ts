/** How many entries each list has, or how many a search finds in it: counted to a thousand. */
import { type AdminCounts, mostCounted } from '@ingot/contracts/admin/overview'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { mostLookedAt } from '../../db/page.ts'
import { paymentMatches } from '../../payments/queries.ts'
import { ticketMatches } from '../../support/queries.ts'
import { readBillingSearch } from '../lists/billing.ts'
import { fits, isUser, readSearch } from '../../auth/search.ts'

type Row = Readonly<Record<keyof AdminCounts, number>>

export async function countHits(db: Db, search: string | undefined): Promise<AdminCounts> {
  const wanted = await readSearch(db, search)
  if (!wanted) return countAll(db)
  const capped = (rows: RawBuilder<unknown>) =>
    sql`(select count(*)::int from (${rows} limit ${mostCounted + 1}) hit)`
  const named = (alias: string) => ({
    name: sql.ref(`${alias}.name`),
    id: sql.ref(`${alias}.id`),
    userId: sql.ref(`${alias}.user_id`),
  })
  const bills = await readBillingSearch(db, wanted.text)
  const isLine = sql`w.account_id in (t.from_account, t.to_account) and ${bills.movement}`
  const movements = bills.users
    ? sql`select 1 from unnest(${bills.users}::uuid[]) o(id) join wallets w on w.user_id = o.id
        cross join lateral (select 1 from ledger_transfer t where t.user_id = o.id and ${isLine} limit ${mostCounted + 1}) line`
    : sql`select 1 from (select * from ledger_transfer order by id desc limit ${mostLookedAt}) t join wallets w on w.user_id = t.user_id where ${isLine}`
  const deposits = sql`
    select 1 from chain_deposit d where d.state <> 'credited' and ${bills.users ? sql`d.user_id = any(${bills.users}::uuid[])` : sql`true`} and ${bills.deposit}`
  const { rows } = await sql<Row & { readonly looked_at_all: boolean }>`
    select ${capped(sql`select 1 from auth_user u where u.deleted_at is null and ${isUser(wanted)}`)} as users,
      ${capped(sql`select 1 from gpu_instances i where i.status <> 'terminated' and ${fits(wanted, named('i'))}`)} as instances,
      ${capped(sql`select 1 from network_volumes v where ${fits(wanted, named('v'))}`)} as volumes,
      ${capped(sql`(${movements} limit ${mostCounted + 1}) union all (${deposits} limit ${mostCounted + 1})`)} as billing,
      ${bills.users ? sql`true` : sql`not exists (select from ledger_transfer order by id desc offset ${mostLookedAt} limit 1)`} as looked_at_all,
      ${capped(sql`select 1 from chain_deposit d where ${paymentMatches(wanted)}`)} as payments,
      ${capped(sql`select 1 from support_tickets t where ${ticketMatches(wanted)}`)} as tickets`.execute(db)
  const { looked_at_all: isAll, ...counts } = rows[0]!
  const hits = (count: number, isWhole = true) => ({
    count: Math.min(count, mostCounted),
    is_more: count > mostCounted || !isWhole,
  })
  return {
    users: hits(counts.users),
    instances: hits(counts.instances),
    volumes: hits(counts.volumes),
    billing: hits(counts.billing, isAll),
    payments: hits(counts.payments),
    tickets: hits(counts.tickets),
  }
}

/** Lines of bills are movements of wallets, counted with the sums of the business, and deposits that moved nothing yet. */
async function countAll(db: Db): Promise<AdminCounts> {
  const { rows } = await sql<Row>`
    select (select count(*)::int from auth_user where deleted_at is null) as users,
      (select count(*)::int from gpu_instances where status <> 'terminated') as instances,
      (select count(*)::int from network_volumes) as volumes,
      ((select coalesce(sum(movements), 0) from money_by_day() where 'wallet' in (from_kind, to_kind))
        + (select count(*) from chain_deposit where state <> 'credited'))::int as billing,
      (select count(*)::int from chain_deposit) as payments, (select count(*)::int from support_tickets) as tickets`.execute(
    db,
  )
  const all = (count: number) => ({ count, is_more: false })
  const { users, instances, volumes, billing, payments, tickets } = rows[0]!
  return {
    users: all(users),
    instances: all(instances),
    volumes: all(volumes),
    billing: all(billing),
    payments: all(payments),
    tickets: all(tickets),
  }
}

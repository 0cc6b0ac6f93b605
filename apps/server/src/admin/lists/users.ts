/** Users as administrators read them: who they are, what they have and what they pay. */
import {
  type AdminUser,
  type AdminUserDetails,
  type balanceFilters,
  lowBalanceUsd,
  spentDays,
  userLoadCells,
  type userSorts,
} from '@ingot/contracts/admin/users'
import type { UserRole } from '@ingot/contracts/accounts'
import { IngotError } from '@ingot/contracts/errors'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { Page } from '../../db/page.ts'
import { turnsOf } from '../../instances/watching/blocks.ts'
import { runwayDays } from '../../ledger/ledger.ts'
import { type Order, ordered, type OrderedPaging } from './ordered.ts'
import { isUser, readSearch } from '../../auth/search.ts'

const dayMs = 86_400_000
const cellMs = 7_200_000

export interface UserFilter {
  readonly search?: string
  readonly role?: UserRole
  readonly balance?: (typeof balanceFilters)[number]
  readonly suspended?: boolean
}
export interface UserWish extends UserFilter, OrderedPaging {
  readonly sort: (typeof userSorts)[number]
}

/** What is booked: what has accrued since is worked out for those alone that are shown. */
const booked = sql`coalesce(a.balance_micro, 0)`
const orders: Readonly<Record<UserWish['sort'], Order>> = {
  created: { by: sql`u.created_at`, type: 'timestamptz' },
  email: { by: sql`coalesce(u.email, '')`, type: 'text' },
  balance: { by: booked, type: 'bigint' },
  spent: { by: sql`coalesce(l.revenue_micro, 0) + coalesce(e.revenue_micro, 0)`, type: 'bigint' },
  last_seen: { by: sql`coalesce(s.last_active_at, u.last_sign_in_at, '-infinity')`, type: 'timestamptz' },
}
const balanceIs: Readonly<Record<NonNullable<UserFilter['balance']>, RawBuilder<unknown>>> = {
  low: sql`${booked} < ${lowBalanceUsd * 1_000_000}`,
  empty: sql`${booked} = 0`,
}
const withBalance = sql`left join ledger_account a on a.kind = 'wallet' and a.owner = u.id`

const spentSince = (now: number): RawBuilder<unknown> =>
  sql`${new Date(now - (spentDays - 1) * dayMs).toISOString().slice(0, 10)}::date`

/** What was earned since the sums were counted, once for all users of a page. */
const tail = (now: number): RawBuilder<unknown> => sql`
  tail as materialized (
    select n.user_id, n.revenue_micro from money_counted c cross join lateral usage_between(c.transfer_id, 9223372036854775807,
      c.line_id, 9223372036854775807, c.return_id, 9223372036854775807) n
    where n.day >= ${spentSince(now)} and n.user_id is not null)`

/** Of each user `u`. The load of their cards is read off the index of what was measured. */
function fields(now: number): { readonly select: RawBuilder<unknown>; readonly from: RawBuilder<unknown> } {
  const at = sql`${new Date(now).toISOString()}::timestamptz`
  // The last cell is the present one, and may be cut short.
  const toMs = (Math.floor(now / cellMs) + 1) * cellMs
  const fromMs = toMs - userLoadCells * cellMs
  const from = sql`${new Date(fromMs).toISOString()}::timestamptz`
  return {
    select: sql`
      u.id, u.email, coalesce(f.first_name, '') as first_name, coalesce(f.last_name, '') as last_name, coalesce(r.role, 'user') as role,
      coalesce(f.plan_name, '') as plan_name, usd(coalesce(b.balance_micro, 0)) as balance_usd,
      round(extract(epoch from b.empty_at - ${at}) / 3600, 2)::float8 as hours_left,
      usd(((select coalesce(sum(d.revenue_micro), 0) from customer_day d where d.user_id = u.id and d.day >= ${spentSince(now)})
        + (select coalesce(sum(t.revenue_micro), 0) from tail t where t.user_id = u.id))::bigint) as spent_30d,
      machine.running, load.cells, load.loads, machine.running > 0 and machine.real = 0 as simulated,
      coalesce((select max(last_active_at) from auth_session where user_id = u.id), u.last_sign_in_at) as last_seen_at,
      (select suspended_at from suspension where user_id = u.id) as suspended_at, u.created_at`,
    from: sql`
      left join profiles f on f.user_id = u.id left join user_roles r on r.user_id = u.id
      left join lateral read_wallet(u.id, ${at}, ${runwayDays}) b on true
      cross join lateral (
        select count(*)::int as running, count(*) filter (where hardware = 'real')::int as real
        from gpu_instances where user_id = u.id and status = 'running') machine
      cross join lateral (
        select array_agg(cell) as cells, array_agg(load) as loads from (
          select floor(extract(epoch from m.began_at - ${from}) * 1000 / ${cellMs})::int as cell, round(avg(m.load) * 100)::int as load
          from gpu_instances i join metric_block m on m.instance_id = i.id
          where i.user_id = u.id and i.status <> 'terminated' and m.turn = any(${turnsOf(fromMs, now)}::smallint[]) and m.load is not null
            and m.began_at >= ${from} group by 1) each) load`,
  }
}

type Read<Row> = Omit<Row, 'gpu_load'> & { readonly cells: number[] | null; readonly loads: number[] | null }

function present<Row extends { readonly cells: number[] | null; readonly loads: number[] | null }>({
  cells,
  loads,
  ...row
}: Row) {
  const gpu_load =
    cells && Array.from({ length: userLoadCells }, (_, cell) => loads![cells.indexOf(cell)] ?? null)
  return { ...row, gpu_load }
}

export async function listUsers(db: Db, now: number, wish: UserWish): Promise<Page<AdminUser>> {
  const { sort, role, balance, suspended } = wish
  const wanted = await readSearch(db, wish.search)
  const { key, after, orderBy, orderChosen, limit, pageOf } = ordered(orders[sort], sql`u.id`, wish)
  const { select, from } = fields(now)
  // The page first: what is shown of a user is read for those alone.
  const { rows } = await sql<Read<AdminUser> & { readonly key: string }>`
    with ${tail(now)},
    chosen as materialized (
      select u.id, ${key} from auth_user u
      ${sort === 'balance' || balance ? withBalance : sql``}
      ${sort === 'spent' ? sql`left join customer_lately l on l.user_id = u.id left join lately_behind(${spentSince(now)}) e on e.user_id = u.id` : sql``}
      ${sort === 'last_seen' ? sql`left join (select user_id, max(last_active_at) as last_active_at from auth_session group by user_id) s on s.user_id = u.id` : sql``}
      where u.deleted_at is null and ${after} and ${isUser(wanted)} and ${balance ? balanceIs[balance] : sql`true`}
        and ${role ? sql`coalesce((select o.role from user_roles o where o.user_id = u.id), 'user') = ${role}` : sql`true`}
        and ${suspended === undefined ? sql`true` : sql`${suspended} = exists (select from suspension where user_id = u.id)`}
      ${orderBy} ${limit})
    select ${select}, chosen.key from chosen join auth_user u on u.id = chosen.id ${from} ${orderChosen}`.execute(
    db,
  )
  return pageOf(rows.map(present))
}

type Details = Read<AdminUserDetails>

/** Also one whose account is deleted: what must be kept of it is left. */
export async function getUser(db: Db, now: number, id: string): Promise<AdminUserDetails> {
  const { select, from } = fields(now)
  const { rows } = await sql<Details>`
    with ${tail(now)}
    select ${select}, coalesce(f.company, '') as company, coalesce(f.role, '') as job, coalesce(f.use_case, '') as use_case, u.phone,
      (select count(*)::int from gpu_instances where user_id = u.id and status <> 'terminated') as instances,
      (select count(*)::int from network_volumes where user_id = u.id) as volumes, ticket.tickets, ticket.open_tickets,
      usd(((select coalesce(sum(t.amount_micro), 0) from wallets w join ledger_transfer t on t.user_id = w.user_id and w.account_id in (t.from_account, t.to_account) where w.user_id = u.id)
        + (select coalesce(sum(d.amount_micro), 0) from chain_deposit d where d.user_id = u.id and d.state <> 'credited'))::bigint) as billing_absolute_sum,
      usd((select coalesce(sum(d.amount_micro), 0)::bigint from chain_deposit d where d.user_id = u.id and d.state = 'credited')) as deposited,
      usd((select coalesce(sum(o.amount_micro), 0)::bigint from withdrawal o where o.user_id = u.id and o.state = 'paid')) as withdrawn,
      (select count(*)::int from auth_session where user_id = u.id and superseded_at is null) as sessions,
      (select count(*)::int from api_keys where user_id = u.id and is_active) as keys, u.deleted_at is not null as is_deleted
    from auth_user u ${from}
      cross join lateral (
        select count(*)::int as tickets, count(*) filter (where status in ('open', 'in_progress'))::int as open_tickets
        from support_tickets where user_id = u.id) ticket
    where u.id = ${id}`.execute(db)
  if (!rows[0]) throw new IngotError('not_found')
  return present(rows[0])
}

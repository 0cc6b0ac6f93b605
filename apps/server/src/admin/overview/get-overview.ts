/**
 * The six cards. What there was on an earlier day is what there is now, less what came since, and what has gone since; so
 * only the last days are read. Money is the sums of the business by day (`money_by_day`), exact at every moment.
 */
import { type AdminOverview, overviewDays } from '@ingot/contracts/admin/overview'
import { sql } from 'kysely'
import { countFree } from '../../catalog/places.ts'
import type { Region } from '../../catalog/regions.ts'
import type { Clock } from '../../db/clock.ts'
import type { Db } from '../../db/database.ts'
import { storeNamed } from '../../volumes/stores.ts'

const dayMs = 86_400_000

interface OverviewNeeds {
  readonly clock: Clock
  readonly regions: readonly Region[]
}

/** How many came or went, by the day. */
type ByDay = Readonly<Record<string, number>>
interface Row {
  readonly users: number
  readonly since_yesterday: number
  readonly users_came: ByDay
  readonly users_gone: ByDay
  readonly instances: number
  readonly running: number
  readonly instances_came: ByDay
  readonly instances_gone: ByDay
  readonly volumes: number
  readonly sold_gb: number
  readonly room_gb: number | null
  readonly volumes_came: ByDay
  readonly volumes_gone: ByDay
  readonly billed: string
  readonly earned: string
  readonly earned_by_day: Readonly<Record<string, string>>
  readonly pending: number
  readonly held: number
  readonly oldest_at: string | null
  readonly payments_came: ByDay
  readonly open: number
  readonly waiting: number
  readonly tickets_came: ByDay
}

/** Rows as an object of a day and a figure. */
const byDay = (rows: ReturnType<typeof sql>) =>
  sql`coalesce((select jsonb_object_agg(day, n) from (${rows}) each), '{}')`
const dayOf = (at: string) => sql`(${sql.raw(at)} at time zone 'UTC')::date as day`

export async function getOverview(db: Db, { clock, regions }: OverviewNeeds): Promise<AdminOverview> {
  const now = clock.now()
  const today = Math.floor(now / dayMs) * dayMs
  const days = Array.from({ length: overviewDays }, (_, n) =>
    new Date(today - (overviewDays - 1 - n) * dayMs).toISOString().slice(0, 10),
  )
  const from = sql`${days[0]!}::timestamptz`
  // What is noted in real time, on the business clock.
  const offset = sql`${clock.offsetMs()} * interval '1 ms'`
  const real = sql`(${from} - ${offset})`
  // An id holds the real time of its making, which is never after the business clock's.
  const firstId = sql`${`${Math.max(0, Date.parse(days[0]!) - clock.offsetMs())
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})/, '$1-')}-0000-0000-000000000000`}::uuid`
  const storing = regions.map(({ driver }) => driver).filter(driver => storeNamed({ regions }, driver))
  const { rows } = await sql<Row>`
    with moved as materialized (select * from money_by_day()),
    gone_volume as materialized (
      select distinct on (e.subject_id) e.subject_id, e.at, m.opened_at from event e join meter m on m.id = e.subject_id
      where e.type in ('volume.deleted', 'volume.ended') and e.at >= ${from} and m.kind = 'volume' order by e.subject_id, e.at)
    select
      (select count(*)::int from auth_user where deleted_at is null) as users,
      (select count(*)::int from auth_user where deleted_at is null and created_at >= now() - interval '1 day')
        - (select count(*)::int from auth_user where deleted_at >= now() - interval '1 day' and created_at < now() - interval '1 day') as since_yesterday,
      ${byDay(sql`select ((created_at + ${offset}) at time zone 'UTC')::date as day, count(*) as n from (
        select created_at from auth_user where deleted_at is null and created_at >= ${real}
        union all select created_at from auth_user where deleted_at >= ${real} and created_at >= ${real}) u group by 1`)} as users_came,
      ${byDay(sql`select ((deleted_at + ${offset}) at time zone 'UTC')::date as day, count(*) as n from auth_user where deleted_at >= ${real} group by 1`)} as users_gone,
      (select count(*)::int from gpu_instances where status <> 'terminated') as instances,
      (select count(*)::int from gpu_instances where status = 'running') as running,
      ${byDay(sql`select ${dayOf('created_at')}, count(*) as n from gpu_instances where id >= ${firstId} and created_at >= ${from} group by 1`)} as instances_came,
      ${byDay(sql`select ${dayOf('updated_at')}, count(*) as n from gpu_instances where status = 'terminated' and updated_at >= ${from} group by 1`)} as instances_gone,
      volume.volumes, volume.sold_gb,
      (select case when count(*) > 0 and count(*) = count(disk_gb) then sum(greatest(0, disk_gb - disk_gb_taken))::float8 end
        from host where is_there and driver = any(${storing})) as room_gb,
      ${byDay(sql`select day, count(*) as n from (
        select ${dayOf('created_at')} from network_volumes where created_at >= ${from} and status <> 'deleting'
        union all select ${dayOf('opened_at')} from gone_volume where opened_at >= ${from}) v group by 1`)} as volumes_came,
      ${byDay(sql`select ${dayOf('at')}, count(*) as n from gone_volume group by 1`)} as volumes_gone,
      usd((money.billed + (select coalesce(sum(amount_micro), 0) from chain_deposit where state <> 'credited'))::bigint) as billed,
      usd(money.earned::bigint) as earned,
      coalesce((select jsonb_object_agg(day, usd(n::bigint)) from (
        select day, sum(case when to_kind = 'revenue' then amount_micro else -amount_micro end) as n
        from moved where day >= ${days[0]!}::date and 'revenue' in (from_kind, to_kind) group by 1) each), '{}') as earned_by_day,
      payment.pending, payment.held, payment.oldest_at,
      ${byDay(sql`select ((created_at + ${offset}) at time zone 'UTC')::date as day, count(*) as n from chain_deposit where created_at >= ${real} group by 1`)} as payments_came,
      (select count(*)::int from support_tickets where status in ('open', 'in_progress')) as open,
      (select count(*)::int from support_tickets where status in ('open', 'in_progress') and (person_asked_at is not null or first_person_at is null)) as waiting,
      ${byDay(sql`select ${dayOf('created_at')}, count(*) as n from support_tickets where created_at >= ${from} group by 1`)} as tickets_came
    from (
      select count(*)::int as volumes, coalesce(sum(size_gb), 0)::float8 as sold_gb from network_volumes where status <> 'deleting') volume, (
      select coalesce(sum(amount_micro) filter (where 'wallet' in (from_kind, to_kind)), 0) as billed,
        coalesce(sum(case when to_kind = 'revenue' then amount_micro when from_kind = 'revenue' then -amount_micro end), 0) as earned from moved) money, (
      select count(*)::int as pending, count(*) filter (where held_reason = 'review')::int as held, min(created_at) as oldest_at
      from chain_deposit where state in ('pending', 'held')) payment`.execute(db)
  const row = rows[0]!
  const free = await countFree(db, [
    ...new Set(regions.filter(region => region.available).map(({ driver }) => driver)),
  ])
  return {
    as_of: new Date(now).toISOString(),
    users: {
      total: row.users,
      since_yesterday: row.since_yesterday,
      days: atTheEndOf(days, row.users, row.users_came, row.users_gone),
    },
    instances: {
      total: row.instances,
      running: row.running,
      gpus_free: free,
      days: atTheEndOf(days, row.instances, row.instances_came, row.instances_gone),
    },
    volumes: {
      total: row.volumes,
      sold_gb: row.sold_gb,
      capacity_gb: row.room_gb === null ? null : row.sold_gb + row.room_gb,
      days: atTheEndOf(days, row.volumes, row.volumes_came, row.volumes_gone),
    },
    revenue: {
      total: row.billed,
      net: row.earned,
      today: row.earned_by_day[days.at(-1)!] ?? zero,
      days: days.map(day => row.earned_by_day[day] ?? zero),
    },
    payments: {
      pending: row.pending,
      held: row.held,
      oldest_at: row.oldest_at,
      days: days.map(day => row.payments_came[day] ?? 0),
    },
    tickets: {
      open: row.open,
      waiting_for_person: row.waiting,
      days: days.map(day => row.tickets_came[day] ?? 0),
    },
  }
}

const zero = '0.000000'

/** From the last day back. */
function atTheEndOf(days: readonly string[], now: number, came: ByDay, gone: ByDay): number[] {
  let count = now
  return days
    .toReversed()
    .map(day => {
      const atItsEnd = count
      count += (gone[day] ?? 0) - (came[day] ?? 0)
      return Math.max(0, atItsEnd)
    })
    .toReversed()
}

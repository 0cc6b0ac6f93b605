/**
 * What needs its owner, read in one statement from what is so now: nothing is stored, so an entry is gone as soon as it is
 * no longer true. What is alike is one entry: all that stopped for want of money, and all deposits below the minimum.
 */
import { type activity, type AttentionItem, mostAttention } from '@ingot/contracts/activity'
import type { Output } from '@ingot/contracts/operation'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { autoShutdownAt } from '../instances/queries.ts'
import { runwayDays } from '../ledger/ledger.ts'

const failures = ['start_failed', 'crash_loop', 'lost', 'stop_failed', 'restart_failed', 'delete_failed']
const fullAt = 0.9
const gibibyte = 2 ** 30
/** Letters of a reason. */
const longestMessage = 500

/** How long one that is not paid is kept. */
const graceOf = (kind: string) =>
  sql`(select grace_days from meter_kind where id = ${kind}) * interval '1 day'`

export async function listAttention(
  db: Db,
  userId: string,
  at: string,
): Promise<Output<typeof activity.attention>> {
  const { rows } = await sql<AttentionItem & { readonly total: number }>`
    with own as materialized (
      select * from gpu_instances where user_id = ${userId} and status <> 'terminated'),
    purse as materialized (select * from read_wallet(${userId}, ${at}, ${runwayDays})),
    disk as materialized (select * from network_volumes where user_id = ${userId} and status <> 'deleting'),
    of_instance (kind, at, instance_id, instance_name, others, until, micro, place, message) as (
      select 'idle', i.busy_at + (select offset_ms from business_clock) * interval '1 ms', i.id, i.name, 0,
        ${sql.raw(autoShutdownAt)}, i.hourly_cost_micro, null::int, null::text
      from own i
      where i.status = 'running' and i.auto_shutdown_enabled and i.busy_at < i.looked_at and coalesce(i.snoozed_until <= now(), true)
        and now() >= i.busy_at + make_interval(mins => i.auto_shutdown_minutes) / 2
      union all
      select i.status_reason, coalesce(e.at, i.stopped_at, i.updated_at), i.id, i.name, 0, null, null, null, left(i.status_message, ${longestMessage})
      from own i left join lateral (
        select at from event where subject_id = i.id and user_id = ${userId}
          and type = case when i.status_reason in ('lost', 'crash_loop') then 'instance.stopped' else 'instance.' || i.status_reason end
        order by at desc, id desc limit 1) e on true
      where i.status in ('stopped', 'stopping') and i.status_reason = any(${failures})
      union all
      select 'maintenance', h.cordoned_at, i.id, i.name, 0, h.drain_at, null, null, left(h.cordon_reason, ${longestMessage})
      from own i join host h on h.id = i.host_id
      where h.drain_at is not null and (i.status <> 'stopped' or i.status_reason = 'maintenance' or i.paid_until > ${at})
      union all
      select 'maintenance_over', coalesce(i.stopped_at, i.updated_at), i.id, i.name, 0, null, null, null, null
      from own i join host h on h.id = i.host_id
      where i.status = 'stopped' and i.status_reason = 'maintenance' and h.drain_at is null
      union all
      select 'balance_empty', max(stopped), (array_agg(id order by stopped desc, id))[1], (array_agg(name order by stopped desc, id))[1],
        count(*)::int - 1, null, null, null, null
      from (select id, name, coalesce(stopped_at, updated_at) as stopped from own where status in ('stopped', 'stopping') and status_reason = 'balance_empty') i
      having count(*) > 0
      union all
      select 'runway', empty_at - interval '1 day', null, null, 0, empty_at, spending_micro, null, null
      from purse where empty_at < ${at}::timestamptz + interval '1 day'
      union all
      select case b.at_limit when 'stop' then 'budget_stopped' else 'budget_passed' end, coalesce(b.reached_at, ${at}::timestamptz), i.id, i.name, 0,
        (b.month + interval '1 month') at time zone 'UTC', b.limit_micro, null, null
      from budgets_now(${userId}, ${at}) b left join own i on i.id = b.meter_id
      where (b.meter_id is null or i.id is not null) and (b.reached_at is not null or b.spent_micro >= b.limit_micro)
      union all
      select 'queued', q.queued_at, i.id, i.name, 0, null, q.held_micro, queue_position(q), q.blocked
      from own i join instance_queue q on q.instance_id = i.id
      union all
      select case d.held_reason when 'review' then 'deposit_review' else 'deposit_below_minimum' end, max(d.block_at), null, null,
        count(*)::int - 1, null, sum(d.amount_micro)::bigint, null, null
      from chain_deposit d where d.user_id = ${userId} and d.state = 'held' and d.held_reason in ('review', 'below_minimum')
      group by d.held_reason
      union all
      select 'credit_ends', credit_ends_at - interval '7 days', null, null, 0, credit_ends_at, credit_micro, null, null
      from purse where credit_micro > 0 and credit_ends_at < ${at}::timestamptz + interval '7 days'),
    of_volume (kind, at, volume_id, volume_name, until, micro, percent, message) as (
      select 'volume_full', coalesce(full_at, used_at), id, name, null::timestamptz, null::bigint,
        (100 * used_bytes / (size_gb * ${gibibyte}::bigint))::int, null::text
      from disk where lapsed_at is null and used_bytes >= ${fullAt}::numeric * size_gb * ${gibibyte}::bigint
      union all
      select 'volume_lapsed', lapsed_at, id, name, lapsed_at + ${graceOf('volume')}, month_micro, null, null
      from disk where lapsed_at is not null
      union all
      select 'volume_maintenance', h.cordoned_at, d.id, d.name, h.drain_at, null, null, left(h.cordon_reason, ${longestMessage})
      from disk d join host h on h.id = d.host_id where h.drain_at is not null
      union all
      select 'snapshot_lapsed', lapsed_at, volume_id, name, lapsed_at + ${graceOf('snapshot')}, month_micro, null, null
      from volume_snapshots where user_id = ${userId} and lapsed_at is not null and status <> 'deleting'
      union all
      (select 'volume_failed', e.at, e.subject_id, e.data->>'name', null, null, null, left(e.data->>'message', ${longestMessage})
      from event e
      where e.user_id = ${userId} and e.type = 'volume.creation_failed' and e.type <> 'instance.usage_charged'
        and e.at > ${at}::timestamptz - interval '1 day'
        and not exists (select from disk d where d.created_at > e.at)
      order by e.at desc, e.id desc limit ${mostAttention})),
    item as (
      select kind, at, instance_id, instance_name, null::uuid as volume_id, null::text as volume_name, null::int as percent, others,
        until, micro, place, message
      from of_instance
      union all
      select kind, at, null, null, volume_id, volume_name, percent, 0, until, micro, null, message from of_volume)
    select kind, at, instance_id, instance_name, volume_id, volume_name, percent, others, until, usd(micro) as amount, place, message,
      count(*) over ()::int as total
    from item order by at desc, instance_id, volume_id, kind limit ${mostAttention}`.execute(db)
  return { items: rows.map(({ total: _, ...item }) => item), total: rows[0]?.total ?? 0 }
}

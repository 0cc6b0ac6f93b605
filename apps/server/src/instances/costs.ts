/**
 * What one instance has cost, in one read: the lines of usage of this day, and what its meter has accrued since. A line
 * that goes over midnight (UTC) is cut there, as in the usage of the account. A run has one price, so it is worked out
 * from its time instead of from its lines: those of a run of months are many.
 */
import { IngotError } from '@ingot/contracts/errors'
import type { InstanceCosts } from '@ingot/contracts/instance/costs'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

export async function getInstanceCosts(
  db: Db,
  userId: string,
  id: string,
  at: string,
): Promise<InstanceCosts> {
  const { rows } = await sql<Omit<InstanceCosts, 'at'>>`
    with day as (select date_trunc('day', ${at}::timestamptz at time zone 'UTC') at time zone 'UTC' as began_at),
    own as (
      select i.id, i.status, i.started_at, m.is_running, m.metered_to, m.price_micro, m.paid_until, m.remainder,
        least(${at}::timestamptz, m.horizon, m.renews_at) as until_at
      from gpu_instances i left join meter_now m on m.id = i.id
      where i.user_id = ${userId} and i.id = ${id} and i.status <> 'terminated'),
    line as (
      select 1 as sign, from_at, to_at, amount_micro::numeric as micro from usage_line, day where meter_id = ${id} and to_at > began_at
      union all
      select -1, from_at, to_at, amount_micro from usage_return, day where meter_id = ${id} and to_at > began_at
      union all
      select 1, metered_to, until_at, div(price_micro::numeric * billable_ms(metered_to, until_at, paid_until) + remainder, 3600000)
      from own, day where is_running and until_at > metered_to and until_at > began_at)
    select
      case when status = 'running' and is_running then usd(coalesce(
        div(price_micro::numeric * billable_ms(started_at, until_at, paid_until), 3600000), 0)::bigint) end as run,
      usd((select coalesce(sum(sign * (micro - round(micro * greatest(0, ms_of(began_at) - ms_of(from_at)) / (ms_of(to_at) - ms_of(from_at))))), 0)
        from line, day)::bigint) as today,
      usd(case when status = 'running' and is_running and billable_ms(until_at, until_at + interval '1 second', paid_until) > 0
        then price_micro else 0 end) as drawing_per_hour
    from own`.execute(db)
  if (!rows[0]) throw new IngotError('not_found')
  return { at, ...rows[0] }
}

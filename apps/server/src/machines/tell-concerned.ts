/** Tells whoever has something on a host what becomes of it: by mail, and as facts of what runs there. */
import { type Selectable, sql } from 'kysely'
import { readable } from '../auth/letters/letters.ts'
import type { Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'

export type HostRow = Selectable<Tables['host']>

/** Names in one mail, of each sort. */
const mostNames = 10

/** One item for each customer, whatever they have there. The host is locked. */
export async function tellConcerned(
  tx: Tx,
  host: HostRow,
  kind: 'maintenance_planned' | 'maintenance_off' | 'maintenance_over',
  at: string,
): Promise<void> {
  const channels = kind === 'maintenance_planned' ? ['mail', 'sms'] : ['mail']
  await sql`
    with thing as (
      select user_id, id, name, case when status = 'stopped' then 'rests' else 'stops' end as sort, paid_until > ${at} as is_term
      from gpu_instances where host_id = ${host.id} and status <> 'terminated' and desired <> 'deleted'
      union all
      select user_id, id, name, 'volumes', false from network_volumes where host_id = ${host.id} and status <> 'deleting'),
    counted as (
      select user_id, sort, coalesce(bool_or(is_term), false) as has_term, count(*) as count,
        (array_agg(name order by id))[1:${mostNames}] as names
      from thing group by user_id, sort),
    item as (
      select user_id, jsonb_object_agg(sort, jsonb_build_object('names', names, 'more', greatest(0, count - ${mostNames}))) || jsonb_build_object(
        'at', ${at}::text, 'drain_at', ${host.drain_at}::text, 'reason', ${host.cordon_reason}::text, 'has_term', bool_or(has_term)) as words
      from counted group by user_id)
    select queue_notice(user_id, ${kind}, channel, words) from item cross join unnest(${channels}::text[]) channel
    where channel = 'mail' or words ? 'stops' order by user_id`.execute(tx)
  const message = {
    maintenance_planned: `Its host is maintained from ${host.drain_at === null ? 'now' : readable(new Date(host.drain_at))} on: nothing runs there then. ${host.cordon_reason}`,
    maintenance_off: 'The maintenance of its host was called off.',
    maintenance_over: 'The maintenance of its host is over: it can run there again.',
  }[kind]
  await sql`
    insert into event (user_id, type, subject_id, data, at)
    select user_id, ${`instance.${kind}`}, id, jsonb_build_object('name', name, 'message', ${message}::text), ${at}
    from gpu_instances where host_id = ${host.id} and status <> 'terminated' and desired <> 'deleted' order by id`.execute(
    tx,
  )
}

/** What waits for a person, of each kind the oldest first. */
import { type Decision, mostDecisions } from '@ingot/contracts/admin/overview'
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'

export async function listDecisions(db: Db): Promise<Decision[]> {
  const { rows } = await sql<Decision>`
    select kind, id, user_id, user_email, since, title, amount_usdt, reason, priority, instances, can_decide from (
      (select 1 as place, 'payment' as kind, d.id::text, d.user_id, u.email as user_email, d.created_at as since, null as title,
        usd(d.amount_micro) as amount_usdt, d.held_reason as reason, null as priority, null::int as instances, true as can_decide
      from chain_deposit d join auth_user u on u.id = d.user_id
      where d.state = 'held' and d.held_reason = 'review' order by d.id limit ${mostDecisions})
      union all
      (select 2, 'machine', h.id::text, null, null, o.from_at, h.name, null, 'It is not heard of.', null,
        (select count(*)::int from allocation a where a.host_id = h.id), false
      from host_outage o join host h on h.id = o.host_id where o.to_at is null order by o.from_at, h.id limit ${mostDecisions})
      union all
      (select 3, 'ticket', t.id::text, t.user_id, u.email, coalesce(t.person_asked_at, t.created_at), t.title, null,
        case when t.person_asked_at is not null then 'A person was asked for.' else 'No person has answered.' end, t.priority, null, false
      from support_tickets t join auth_user u on u.id = t.user_id
      where t.status in ('open', 'in_progress') and (t.person_asked_at is not null or t.first_person_at is null)
      order by coalesce(t.person_asked_at, t.created_at), t.id limit ${mostDecisions})) each
    order by place, since, id limit ${mostDecisions}`.execute(db)
  return rows
}

/** What happened to one instance: its facts, each with who did it and by which call. */
import type { InstanceEvent } from '@ingot/contracts/instance/watching'
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { idOf } from '../../db/ids.ts'
import { page, type Page, type Paging, readCursor, serial } from '../../db/page.ts'
import { findInstance } from '../queries.ts'

type Row = Omit<InstanceEvent, 'id'> & { readonly event_id: bigint }

const message = sql`coalesce(data->>'message' || coalesce(e'\\n' || (data->>'lines'), ''), case data->>'reason'
  when 'balance_empty' then 'The balance reached zero.' when 'budget_reached' then 'Its budget is used up.'
  when 'account_budget_reached' then 'The account''s budget is used up.' when 'lost' then 'The machine stopped by itself.'
  when 'term_over' then 'Its term ended, and it was to stop then.' end)`

/** The newest first. The cursor is the number of the last one. */
export async function listInstanceEvents(
  db: Db,
  userId: string,
  { id, cursor, limit }: Paging & { readonly id: string },
): Promise<Page<InstanceEvent>> {
  const [before] = readCursor(cursor, [serial]) ?? [null]
  await findInstance(db, userId, id)
  const { rows } = await sql<Row>`
    select id as event_id, at, replace(type, '.', '_') as action, ${message} as message,
      case split_part(actor, ':', 1)
        when 'user' then 'user' when 'key' then 'api_key' when 'schedule' then 'schedule' when 'staff' then 'staff' when 'system' then 'system' end as actor,
      operation
    from event
    where subject_id = ${id} and user_id = ${userId} and type like 'instance.%'
      and (${before}::bigint is null or id < ${before}::bigint)
    order by id desc limit ${limit + 1}`.execute(db)
  const { items, next_cursor } = page(rows, limit, last => [last.event_id])
  return {
    items: items.map(({ event_id, ...row }) => ({ id: idOf('event', event_id), ...row })),
    next_cursor,
  }
}

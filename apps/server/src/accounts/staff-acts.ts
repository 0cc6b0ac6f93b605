/** What staff did to a customer's account, as that customer may see it: when, what, why, but never which of them. */
import type { StaffAct } from '@ingot/contracts/accounts'
import { sql } from 'kysely'
import { changesOf } from '../db/audit-log.ts'
import type { Db } from '../db/database.ts'
import { page, type Page, type Paging, readCursor, serial } from '../db/page.ts'

interface Row extends Omit<StaffAct, 'changes'> {
  readonly micros: string
  readonly before: unknown
  readonly after: unknown
}

/** The end of acting as a customer by the clock is nobody's act, and concerns them all the same. */
export async function listStaffActs(
  db: Db,
  userId: string,
  { cursor, limit }: Paging,
): Promise<Page<StaffAct>> {
  const [micros, id] = readCursor(cursor, [serial, serial]) ?? [null, null]
  const { rows } = await sql<Row>`
    select id::text, at, (extract(epoch from at) * 1000000)::bigint::text as micros, operation, subject_kind, reason, before, after,
      case when actor = 'system' then 'system' when role = 'admin' then 'administrator' when role = 'moderator' then 'moderator'
        else 'operator' end as by
    from audit_log
    where user_id = ${userId} and (actor like 'staff:%' or actor = 'system' and after ? 'acting')
      and (${micros}::bigint is null or (at, id) < (timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond', ${id}::bigint))
    order by at desc, id desc limit ${limit + 1}`.execute(db)
  const { items, next_cursor } = page(rows, limit, last => [last.micros, last.id])
  return {
    items: items.map(({ micros: _, before, after, ...act }) => ({
      ...act,
      changes: changesOf(before, after),
    })),
    next_cursor,
  }
}

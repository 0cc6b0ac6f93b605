/** Decisions about places, of everybody: what is held now stands in `allocation`, all else in `placement`. */
import type { AdminPlacement, machines } from '@ingot/contracts/admin/machines'
import type { Parsed } from '@ingot/contracts/operation'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { page, type Page, readCursor, serial, time } from '../db/page.ts'
import { messageOf } from '../instances/placements.ts'

/** The number of a line that is held now, and has none: it comes before others of its moment. */
const newest = '999999999999999999'

export async function listPlacements(
  db: Db,
  { instance_id, host, outcome, from, cursor, limit }: Parsed<typeof machines.placements>,
): Promise<Page<AdminPlacement>> {
  const after = readCursor(cursor, [time, serial])
  const where = sql`${instance_id === undefined ? sql`true` : sql`instance_id = ${instance_id}`}
    and ${host === undefined ? sql`true` : sql`host_id = ${host}`}`
  const line = sql`instance_id, at, outcome, reason, message, waited_ms, host_id, cards, id`
  const read = sql`${outcome === undefined ? sql`true` : sql`outcome = ${outcome}`}
    and ${from === undefined ? sql`true` : sql`at >= ${from}`}
    and ${after ? sql`(at, id) < (${after[0]}::timestamptz, ${after[1]}::bigint)` : sql`true`}
    order by at desc, id desc limit ${limit + 1}`
  const { rows } = await sql<Omit<AdminPlacement, 'message'> & { message: string | null; id: bigint }>`
    select p.at, p.outcome, p.reason, p.message, p.waited_ms, p.cards, p.instance_id, i.name as instance_name, i.user_id, u.email,
      p.host_id::text, h.name as host_name, p.id
    from (
      (select ${line} from (
        select instance_id, placed_at as at, 'placed' as outcome, null as reason, null as message, waited_ms, host_id, cards, ${newest}::bigint as id
        from allocation where ${where}) held where ${read})
      union all
      (select ${line} from placement where ${where} and ${read})) p
    join gpu_instances i on i.id = p.instance_id join auth_user u on u.id = i.user_id left join host h on h.id = p.host_id
    order by p.at desc, p.id desc, p.instance_id limit ${limit + 1}`.execute(db)
  const { items, next_cursor } = page(rows, limit, last => [last.at, last.id])
  return {
    items: items.map(({ id: _, ...row }) => ({ ...row, message: row.message ?? messageOf(row) })),
    next_cursor,
  }
}

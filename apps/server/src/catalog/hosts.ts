/** Hosts as administrators read them. */
import type { HostEntry, UnpricedCards } from '@ingot/contracts/catalog-calls'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { page, type Page, type Paging, readCursor, serial } from '../db/page.ts'

/** Within JSON nothing converts a time. */
export const jsonTime = (column: string) =>
  sql.raw(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)

/** Of `host h` with its `driver_inventory i`. */
export const hostColumns = sql`
  h.id::text, h.driver, h.name, case when h.is_there and i.seen_at > silent_since() then 'ready' else 'silent' end as state,
  i.seen_at, case when h.cordoned_at is not null then jsonb_build_object(
    'state', case when h.drained_at is not null then 'drained' when h.drain_at is not null then 'draining' else 'cordoned' end,
    'since', ${jsonTime('h.cordoned_at')}, 'by', h.cordoned_by, 'by_email', (select email from auth_user where id = h.cordoned_by),
    'reason', h.cordon_reason, 'drain_at', ${jsonTime('h.drain_at')}) end as maintenance,
  h.machines, h.machines_taken, h.cpu_cores, h.cpu_cores_taken, h.memory_gb, h.memory_gb_taken,
  h.disk_gb, h.disk_gb_taken, h.has_cards, coalesce((
    select jsonb_agg(jsonb_build_object('gpu_type', c.gpu_type, 'total', c.total, 'free', c.free) order by c.gpu_type)
    from (
      select gpu_type, count(*)::int as total, count(*) filter (where o.uuid is null)::int as free
      from card left join card_hold o using (uuid) where host_id = h.id and is_there and gpu_type is not null group by gpu_type) c), '[]') as cards`

/** In the order in which they came. */
export async function listHosts(
  db: Db,
  paging: Paging & { readonly driver?: string },
): Promise<Page<HostEntry>> {
  const [after] = readCursor(paging.cursor, [serial]) ?? [null]
  const { rows } = await sql<HostEntry>`
    select ${hostColumns}
    from host h join driver_inventory i on i.driver = h.driver
    where (${after}::bigint is null or h.id > ${after}::bigint) and (${paging.driver ?? null}::text is null or h.driver = ${paging.driver ?? null})
    order by h.id limit ${paging.limit + 1}`.execute(db)
  return page(rows, paging.limit, last => [last.id])
}

/** An id that no host can have is that of none. */
export async function findHost(db: Db | Tx, id: string): Promise<HostEntry | undefined> {
  if (!serial(id)) return undefined
  const { rows } = await sql<HostEntry>`
    select ${hostColumns} from host h join driver_inventory i on i.driver = h.driver where h.id = ${id}`.execute(
    db,
  )
  return rows[0]
}

/** At most 100 models. */
export async function listUnpriced(db: Db): Promise<UnpricedCards[]> {
  const { rows } = await sql<UnpricedCards>`
    select model, (max(memory_bytes) / 1073741824)::int as memory_gb, count(*)::int as cards
    from card where gpu_type is null and is_there group by model order by model limit 100`.execute(db)
  return rows
}

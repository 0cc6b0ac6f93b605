/** Hosts as administrators read them. */
import type { HostEntry, UnpricedCards } from '@ingot/contracts/catalog-calls'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { page, type Page, type Paging, readCursor, serial } from '../db/page.ts'

/** In the order in which they came. */
export async function listHosts(db: Db, paging: Paging): Promise<Page<HostEntry>> {
  const [after] = readCursor(paging.cursor, [serial]) ?? [null]
  const { rows } = await sql<HostEntry>`
    select h.id::text, h.driver, h.name, case when h.is_there and i.seen_at > silent_since() then 'ready' else 'silent' end as state,
      i.seen_at, h.machines, h.machines_taken, h.cpu_cores, h.cpu_cores_taken, h.memory_gb, h.memory_gb_taken,
      h.disk_gb, h.disk_gb_taken, h.has_cards, coalesce((
        select jsonb_agg(jsonb_build_object('gpu_type', c.gpu_type, 'total', c.total, 'free', c.free) order by c.gpu_type)
        from (
          select gpu_type, count(*)::int as total, count(*) filter (where o.uuid is null)::int as free
          from card left join card_hold o using (uuid) where host_id = h.id and is_there and gpu_type is not null group by gpu_type) c), '[]') as cards
    from host h join driver_inventory i on i.driver = h.driver
    where ${after}::bigint is null or h.id > ${after}::bigint
    order by h.id limit ${paging.limit + 1}`.execute(db)
  return page(rows, paging.limit, last => [last.id])
}

/** At most 100 models. */
export async function listUnpriced(db: Db): Promise<UnpricedCards[]> {
  const { rows } = await sql<UnpricedCards>`
    select model, (max(memory_bytes) / 1073741824)::int as memory_gb, count(*)::int as cards
    from card where gpu_type is null and is_there group by model order by model limit 100`.execute(db)
  return rows
}

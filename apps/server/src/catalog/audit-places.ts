/** Counts again what is taken of hosts, from the allocations, and says what does not agree. It writes nothing. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Finding } from '../ledger/audit.ts'

const rules: Record<string, string> = {
  'what is taken of a host is the sum of its allocations': `
    select 'host ' || h.id || ' of ' || h.driver || ' counts ' || concat_ws(', ', machines_taken, cpu_cores_taken, memory_gb_taken)
      || ', allocations say ' || concat_ws(', ', a.machines, a.cores, a.gb)
    from host h cross join lateral (
      select count(*) as machines, coalesce(sum(cpu_cores), 0) as cores, coalesce(sum(memory_gb), 0) as gb
      from allocation where host_id = h.id) a
    where (machines_taken, cpu_cores_taken, memory_gb_taken) <> (a.machines, a.cores, a.gb)`,

  'the disks on a host are those of the instances, volumes and snapshots that it keeps': `
    select 'host ' || h.id || ' counts ' || disk_gb_taken || ' GB, rows say ' || gb
    from host h cross join lateral (
      select coalesce(sum(gb), 0) as gb from (
        select storage_gb from gpu_instances where host_id = h.id and status <> 'terminated'
        union all select size_gb from network_volumes where host_id = h.id
        union all select snapshot_disk_gb(used_bytes, size_gb) from volume_snapshots where host_id = h.id) d(gb)) i
    where disk_gb_taken <> gb`,

  'a card is held by the one instance that has it': `
    with had as (select instance_id, host_id, unnest(cards) as uuid from allocation)
    select 'card ' || coalesce(c.uuid, had.uuid) || ' is held by ' || coalesce(c.instance_id::text, 'nobody') || ', and allocated to ' || coalesce(had.instance_id::text, 'nobody')
    from had full join card_hold c on c.uuid = had.uuid and c.instance_id = had.instance_id left join card on card.uuid = had.uuid
    where c.uuid is null or had.uuid is null or card.host_id is distinct from had.host_id`,

  'the free cards of a host that is there are those that are there and that nobody holds': `
    select 'host ' || h.id || ', ' || coalesce(p.gpu_type, c.gpu_type)
    from (
      select host_id, gpu_type, array_agg(uuid order by uuid) as cards from card
      where is_there and gpu_type is not null and not exists (select from card_hold o where o.uuid = card.uuid) group by host_id, gpu_type) c
    full join (select * from card_pool where free > 0) p on p.host_id = c.host_id and p.gpu_type = c.gpu_type
    join host h on h.id = coalesce(p.host_id, c.host_id)
    where case when h.is_there and h.cordoned_at is null then p.free is null or c.cards is null or not (p.free_cards <@ c.cards and c.cards <@ p.free_cards)
      else p.free is not null end`,

  'only what may run, or is paid in advance, has a place, with as many cards as it was sold': `
    select 'instance ' || a.instance_id || ' is ' || coalesce(i.status, 'not there') from allocation a
    left join gpu_instances i on i.id = a.instance_id
    where i.id is null or i.status = 'terminated' or i.status = 'stopped' and i.due_at is null and a.held_until is null
      or i.host_id is distinct from a.host_id or cardinality(a.cards) not in (0, i.gpu_count)`,

  'what runs on a driver that has told of hosts has a place': `
    select 'instance ' || i.id || ' is ' || i.status from gpu_instances i join driver_inventory d on d.driver = i.driver
    where i.status in ('starting', 'running') and not exists (select from allocation where instance_id = i.id)`,
}

export async function auditPlaces(db: Db): Promise<Finding[]> {
  const found = await Promise.all(
    Object.entries(rules).map(async ([rule, query]) => {
      const { rows } = await sql<{
        detail: string
      }>`select detail from (${sql.raw(query)}) broken (detail)`.execute(db)
      return rows.map(({ detail }) => ({ rule, detail }))
    }),
  )
  return found.flat()
}

export async function assertPlacesSound(db: Db): Promise<void> {
  const found = await auditPlaces(db)
  if (found.length) throw new Error(found.map(({ rule, detail }) => `${rule}: ${detail}`).join('\n'))
}

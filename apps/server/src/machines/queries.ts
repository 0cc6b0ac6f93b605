/** Every read of machines: regions with their hosts, one host, and who is on it. */
import { IngotError } from '@ingot/contracts/errors'
import type { AdminRegion, HostDetails, HostInstance, machines } from '@ingot/contracts/admin/machines'
import type { Parsed } from '@ingot/contracts/operation'
import { sql } from 'kysely'
import { findHost, jsonTime } from '../catalog/hosts.ts'
import { regionOffSale } from '../catalog/queries.ts'
import type { Region } from '../catalog/regions.ts'
import type { Db, Tx } from '../db/database.ts'
import { page, type Page, readCursor, uuid } from '../db/page.ts'

interface DriverRow extends Pick<
  AdminRegion,
  'seen_at' | 'hosts' | 'hosts_silent' | 'hosts_cordoned' | 'machines' | 'machines_taken' | 'cards'
> {
  readonly driver: string
  readonly is_heard: boolean
}

const nothingKnown = {
  seen_at: null,
  hosts: 0,
  hosts_silent: 0,
  hosts_cordoned: 0,
  machines: 0,
  machines_taken: 0,
  cards: [],
}

export async function listRegions(db: Db, regions: readonly Region[]): Promise<AdminRegion[]> {
  const names = [...new Set(regions.map(({ driver }) => driver))]
  const [drivers, rows] = await Promise.all([
    sql<DriverRow>`
      select i.driver, i.seen_at, i.seen_at > silent_since() as is_heard, coalesce(h.hosts, 0) as hosts, coalesce(h.hosts_silent, 0) as hosts_silent,
        coalesce(h.hosts_cordoned, 0) as hosts_cordoned, coalesce(h.machines, 0) as machines, coalesce(h.machines_taken, 0) as machines_taken,
        coalesce(c.cards, '[]') as cards
      from driver_inventory i
      left join lateral (
        select count(*)::int as hosts, count(*) filter (where not is_there)::int as hosts_silent,
          count(*) filter (where cordoned_at is not null)::int as hosts_cordoned,
          least(sum(machines), 2147483647)::int as machines, sum(machines_taken)::int as machines_taken
        from host where driver = i.driver) h on true
      left join lateral (
        select jsonb_agg(jsonb_build_object('gpu_type', t.gpu_type, 'total', t.total, 'taken', t.taken, 'free', t.free) order by t.gpu_type) as cards
        from (
          select c.gpu_type, count(*)::int as total, count(o.uuid)::int as taken,
            count(*) filter (where o.uuid is null and h.is_there and h.cordoned_at is null and i.seen_at > silent_since())::int as free
          from host h join card c on c.host_id = h.id left join card_hold o on o.uuid = c.uuid
          where h.driver = i.driver and c.is_there and c.gpu_type is not null group by c.gpu_type) t) c on true
      where i.driver = any(${names})`.execute(db),
    sql<{ name: string; is_on_sale: boolean; queued: number }>`
      select r.name, r.is_on_sale, coalesce(q.queued, 0) as queued from region r
      left join (select i.region, count(*)::int as queued from instance_queue q join gpu_instances i on i.id = q.instance_id group by 1) q
        on q.region = r.name`.execute(db),
  ])
  const byDriver = new Map(drivers.rows.map(row => [row.driver, row]))
  const byName = new Map(rows.rows.map(row => [row.name, row]))
  return regions.map(({ compute: _, ...region }) => {
    const {
      driver: __,
      is_heard,
      ...known
    } = byDriver.get(region.driver) ?? {
      driver: region.driver,
      is_heard: null,
      ...nothingKnown,
    }
    const row = byName.get(region.id)
    const isOnSale = row?.is_on_sale ?? false
    return {
      ...region,
      ...known,
      available: region.available && isOnSale,
      reason: region.reason ?? (isOnSale ? null : regionOffSale),
      is_on_sale: isOnSale,
      driver_state: is_heard === null ? 'absent' : is_heard ? 'ready' : 'silent',
      shares_with: regions.filter(o => o.driver === region.driver && o.id !== region.id).map(({ id }) => id),
      queued: row?.queued ?? 0,
    }
  })
}

const lines = 10

export async function getHost(db: Db | Tx, regions: readonly Region[], id: string): Promise<HostDetails> {
  const host = await findHost(db, id)
  if (!host) throw new IngotError('not_found')
  const { rows } = await sql<
    Pick<HostDetails, 'silent_since' | 'held_cards' | 'concerned' | 'queued' | 'outages' | 'errors'>
  >`
    with own as materialized (
      select id, user_id, name, status, hourly_cost_micro, paid_until from gpu_instances where host_id = ${id} and status <> 'terminated'),
    disk as materialized (select user_id from network_volumes where host_id = ${id})
    select
      (select case when not h.is_there then coalesce((select from_at from host_outage where host_id = h.id and to_at is null), i.seen_at)
        when i.seen_at <= silent_since() then i.seen_at end
        from host h join driver_inventory i on i.driver = h.driver where h.id = ${id}) as silent_since,
      coalesce((select jsonb_agg(to_jsonb(c) order by c.gpu_type, c.uuid) from (
        select c.uuid, c.model, (c.memory_bytes / 1073741824)::int as memory_gb, c.gpu_type, c.is_there, o.instance_id, n.name as instance_name,
          n.user_id, u.email, ${jsonTime('a.placed_at')} as since, usd(n.hourly_cost_micro) as hourly_cost
        from card c left join card_hold o on o.uuid = c.uuid left join gpu_instances n on n.id = o.instance_id
        left join auth_user u on u.id = n.user_id left join allocation a on a.instance_id = o.instance_id
        where c.host_id = ${id} and (c.is_there or o.uuid is not null) order by c.gpu_type, c.uuid limit 500) c), '[]') as held_cards,
      (select jsonb_build_object('running', count(*) filter (where status = 'running'), 'changing', count(*) filter (where status in ('starting', 'stopping')),
        'stopped', count(*) filter (where status = 'stopped'), 'terms', count(*) filter (where paid_until > business_now()),
        'volumes', (select count(*) from disk), 'snapshots', (select count(*) from volume_snapshots where host_id = ${id}),
        'customers', (select count(*) from (select user_id from own union select user_id from disk) c)) from own) as concerned,
      (select count(*)::int from instance_queue q join own on own.id = q.instance_id) as queued,
      coalesce((select jsonb_agg(jsonb_build_object('from', ${jsonTime('o.from_at')}, 'to', ${jsonTime('o.to_at')}, 'is_maintenance', o.is_maintenance) order by o.id desc)
        from (select * from host_outage where host_id = ${id} order by id desc limit ${lines}) o), '[]') as outages,
      coalesce((select jsonb_agg(jsonb_build_object('at', ${jsonTime('p.at')}, 'instance_id', p.instance_id, 'message', p.message) order by p.at desc)
        from (select p.* from placement p where p.reason = 'driver' and p.message is not null and p.instance_id in (select id from own)
          order by p.at desc limit ${lines}) p), '[]') as errors`.execute(db)
  return {
    ...host,
    ...rows[0]!,
    regions: regions.filter(({ driver }) => driver === host.driver).map(region => region.id),
  }
}

/** Those with a place come first. */
export async function listHostInstances(
  db: Db,
  { id, cursor, limit }: Parsed<typeof machines.hostInstances>,
): Promise<Page<HostInstance>> {
  const after = readCursor(cursor, [part => part === '0' || part === '1', uuid])
  if (!(await findHost(db, id))) throw new IngotError('not_found')
  const { rows } = await sql<HostInstance>`
    select i.id, i.name, i.user_id, u.email, i.status, i.gpu_type, i.gpu_count, coalesce(cardinality(a.cards), 0) as cards, i.storage_gb,
      usd(i.hourly_cost_micro) as hourly_cost, i.paid_until, a.placed_at as since, v.name as volume_name
    from gpu_instances i join auth_user u on u.id = i.user_id left join allocation a on a.instance_id = i.id
    left join network_volumes v on v.id = i.network_volume_id
    where i.host_id = ${id} and i.status <> 'terminated'
      and ${after ? sql`((a.instance_id is null)::int, i.id) > (${after[0]}::int, ${after[1]}::uuid)` : sql`true`}
    order by (a.instance_id is null)::int, i.id limit ${limit + 1}`.execute(db)
  return page(rows, limit, last => [last.since === null ? '1' : '0', last.id])
}

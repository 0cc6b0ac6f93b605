/** The instances of all users as administrators read them. */
import type { AdminInstance, AdminInstanceDetails, instanceSorts } from '@ingot/contracts/admin/instances'
import type { InstanceStatus } from '@ingot/contracts/instances'
import type { Placement } from '@ingot/contracts/instance/places'
import { fallbackTemplateName } from '@ingot/contracts/templates'
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { Page } from '../../db/page.ts'
import { messageOf } from '../../instances/placements.ts'
import { type Order, ordered, type OrderedPaging } from './ordered.ts'
import { fits, readSearch } from '../../auth/search.ts'

export interface InstanceFilter {
  readonly search?: string
  readonly status?: InstanceStatus
  readonly region?: string
  readonly user_id?: string
  readonly host?: string
}
export interface InstanceWish extends InstanceFilter, OrderedPaging {
  readonly sort: (typeof instanceSorts)[number]
}

const orders: Readonly<Record<InstanceWish['sort'], Order>> = {
  // Ids grow with time.
  created: { by: sql`i.id`, type: 'uuid' },
  name: { by: sql`i.name`, type: 'text' },
  cost: { by: sql`i.hourly_cost_micro`, type: 'bigint' },
  status: { by: sql`i.status`, type: 'text' },
}

const fields = sql`
  i.id, i.name, i.user_id, u.email as user_email, i.status, i.status_reason, i.status_message, i.gpu_type, i.gpu_count, i.region,
  usd(i.hourly_cost_micro) as hourly_cost, i.billing_period, coalesce(t.name, ${fallbackTemplateName}) as template_name,
  h.name as host, h.id::text as host_id, i.driver, i.hardware, i.network_volume_id, i.started_at, i.stopped_at, i.created_at, i.updated_at`
const beside = sql`
  join auth_user u on u.id = i.user_id left join gpu_templates t on t.id = i.template_id left join host h on h.id = i.host_id`

export async function listAllInstances(db: Db, wish: InstanceWish): Promise<Page<AdminInstance>> {
  const { status, region, user_id, host } = wish
  const wanted = await readSearch(db, wish.search)
  const { key, after, orderBy, orderChosen, limit, pageOf } = ordered(orders[wish.sort], sql`i.id`, wish)
  const those = fits(wanted, { name: sql`i.name`, id: sql`i.id`, userId: sql`i.user_id` })
  // The page first: what stands beside an instance is looked up for those alone.
  const { rows } = await sql<AdminInstance & { readonly key: string }>`
    with chosen as materialized (
      select i.id, ${key} from gpu_instances i
      where ${status === 'terminated' ? sql`i.status = 'terminated'` : sql`i.status <> 'terminated'`} and ${after} and ${those}
        and ${status ? sql`i.status = ${status}` : sql`true`} and ${region ? sql`i.region = ${region}` : sql`true`}
        and ${user_id ? sql`i.user_id = ${user_id}` : sql`true`} and ${host ? sql`i.host_id::text = ${host}` : sql`true`}
      ${orderBy} ${limit})
    select ${fields}, chosen.key from chosen join gpu_instances i on i.id = chosen.id ${beside} ${orderChosen}`.execute(
    db,
  )
  return pageOf(rows)
}

type Placed = Omit<Placement, 'message'> & { readonly message: string | null }
interface DetailsRow extends Omit<AdminInstanceDetails, 'placement'> {
  readonly placement: Placed | null
}

/** Also a terminated one. */
export async function getAnyInstance(db: Db | Tx, at: string, id: string): Promise<AdminInstanceDetails> {
  const { rows } = await sql<DetailsRow>`
    select ${fields}, i.cpu_cores, i.memory_gb, i.storage_gb, i.paid_until, v.name as volume_name, usd(cost.micro) as cost_total, p.placement
    from gpu_instances i ${beside} left join network_volumes v on v.id = i.network_volume_id
    cross join lateral (
      select (coalesce((select amount_micro from ledger_transfer where idem = key_of('deploy:' || i.id)), 0)
        + coalesce((select sum(wallet_micro) from usage_line where meter_id = i.id), 0)
        - coalesce((select sum(amount_micro) from ledger_transfer where user_id = i.user_id and ref = i.id and code in ('return', 'usage_return')), 0)
        + coalesce((select div(greatest(0, m.price_micro::numeric * billable_ms(m.metered_to, least(${at}::timestamptz, m.horizon), m.paid_until) + m.behind), 3600000)
          from meter_now m where m.id = i.id and m.is_running and least(${at}::timestamptz, m.horizon) > m.metered_to), 0))::bigint as micro) cost
    left join lateral (
      select jsonb_build_object('at', rfc3339(at), 'outcome', outcome, 'reason', reason, 'message', message, 'waited_ms', waited_ms, 'cards', cards) as placement
      from (
        select placed_at as at, 'placed' as outcome, null as reason, null as message, waited_ms, cards, null as id from allocation where instance_id = i.id
        union all
        select at, outcome, reason, message, waited_ms, cards, id from placement where instance_id = i.id) each
      order by at desc, id desc nulls first limit 1) p on true
    where i.id = ${id}`.execute(db)
  const row = rows[0]
  if (!row) throw new IngotError('not_found')
  return {
    ...row,
    placement: row.placement && {
      ...row.placement,
      message: row.placement.message ?? messageOf(row.placement),
    },
  }
}

/** Whose instance it is, also a terminated one. */
export async function ownerOfInstance(
  db: Db | Tx,
  id: string,
): Promise<{ readonly userId: string; readonly isOver: boolean }> {
  const row = await db
    .selectFrom('gpu_instances')
    .select(['user_id', 'status'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw new IngotError('not_found')
  return { userId: row.user_id, isOver: row.status === 'terminated' }
}

/** The network volumes of all users as administrators read them. */
import type { AdminVolume, volumeSorts } from '@ingot/contracts/admin/volumes'
import type { VolumeStatus } from '@ingot/contracts/volumes'
import { IngotError } from '@ingot/contracts/errors'
import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { Page } from '../../db/page.ts'
import { hardwareOf } from '../../volumes/stores.ts'
import { type Order, ordered, type OrderedPaging } from './ordered.ts'
import { fits, readSearch } from '../../auth/search.ts'

export interface VolumeFilter {
  readonly search?: string
  readonly status?: VolumeStatus
  readonly region?: string
  readonly user_id?: string
}
export interface VolumeWish extends VolumeFilter, OrderedPaging {
  readonly sort: (typeof volumeSorts)[number]
}

const orders: Readonly<Record<VolumeWish['sort'], Order>> = {
  // Ids grow with time.
  created: { by: sql`v.id`, type: 'uuid' },
  name: { by: sql`v.name`, type: 'text' },
  size: { by: sql`v.size_gb`, type: 'bigint' },
}

const holder = sql`left join gpu_instances i on i.network_volume_id = v.id`
/** `in-use` is what an instance says of it. */
const statusIs: Readonly<Record<VolumeStatus, RawBuilder<unknown>>> = {
  creating: sql`v.status = 'creating'`,
  deleting: sql`v.status = 'deleting'`,
  available: sql`v.status = 'available' and i.id is null`,
  'in-use': sql`v.status = 'available' and i.id is not null`,
}

type VolumeRow = Omit<AdminVolume, 'hardware'>
const fieldsAt = (at: string) => sql`
  v.id, v.name, v.user_id, u.email as user_email, v.size_gb, v.used_bytes::float8 as used_bytes,
  case when v.status = 'available' and i.id is not null then 'in-use' else v.status end as status, v.status_message, v.region, v.driver,
  i.id as instance_id, i.name as instance_name, i.status as instance_status, usd(v.month_micro) as monthly_cost,
  case when v.status <> 'deleting' then m.renews_at end as renews_at, v.lapsed_at,
  case when v.status <> 'deleting' then v.lapsed_at + (select grace_days from meter_kind where id = 'volume') * interval '1 day' end as deletes_at,
  usd(case when v.status <> 'deleting' and m.id is not null then rest_of(m, ${at}) else 0 end) as returns, v.created_at, v.updated_at`
const beside = sql`join auth_user u on u.id = v.user_id ${holder} left join meter_now m on m.id = v.id`
const present = <Row extends VolumeRow>(row: Row) => ({ ...row, hardware: hardwareOf(row.driver) })

export async function listAllVolumes(db: Db, at: string, wish: VolumeWish): Promise<Page<AdminVolume>> {
  const { status, region, user_id } = wish
  const wanted = await readSearch(db, wish.search)
  const { key, after, orderBy, orderChosen, limit, pageOf } = ordered(orders[wish.sort], sql`v.id`, wish)
  const those = fits(wanted, { name: sql`v.name`, id: sql`v.id`, userId: sql`v.user_id` })
  const { rows } = await sql<VolumeRow & { readonly key: string }>`
    with chosen as materialized (
      select v.id, ${key} from network_volumes v ${status ? holder : sql``}
      where ${after} and ${those} and ${status ? statusIs[status] : sql`true`} and ${region ? sql`v.region = ${region}` : sql`true`}
        and ${user_id ? sql`v.user_id = ${user_id}` : sql`true`}
      ${orderBy} ${limit})
    select ${fieldsAt(at)}, chosen.key from chosen join network_volumes v on v.id = chosen.id ${beside} ${orderChosen}`.execute(
    db,
  )
  return pageOf(rows.map(present))
}

export async function getAnyVolume(db: Db | Tx, at: string, id: string): Promise<AdminVolume> {
  const { rows } = await sql<VolumeRow>`
    select ${fieldsAt(at)} from network_volumes v ${beside} where v.id = ${id}`.execute(db)
  if (!rows[0]) throw new IngotError('not_found')
  return present(rows[0])
}

export async function ownerOfVolume(db: Db | Tx, id: string): Promise<string> {
  const row = await db.selectFrom('network_volumes').select('user_id').where('id', '=', id).executeTakeFirst()
  if (!row) throw new IngotError('not_found')
  return row.user_id
}

/** Every read of volumes. Each names the owner in its `where`: another user's row does not exist. */
import { mountNameOf, mountPath } from '@ingot/compute/volume-mount'
import type { VolumeCapabilities } from '@ingot/compute/volumes'
import { IngotError } from '@ingot/contracts/errors'
import { formatUsd } from '@ingot/contracts/money'
import type { Output } from '@ingot/contracts/operation'
import { growthMicro, volumeMonthMicro } from '@ingot/contracts/volume/prices'
import type { VolumeSnapshot } from '@ingot/contracts/volume/snapshots'
import type { Volume, volumes } from '@ingot/contracts/volumes'
import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { escapeLike } from '../db/escape-like.ts'
import { page, type Page, type Paging, readCursor, uuid } from '../db/page.ts'
import type { Tables } from '../db/tables.ts'
import { hardwareOf, storeNamed, type StoreNeeds } from './stores.ts'

export type VolumeRow = Selectable<Tables['network_volumes']>

interface ReadRow extends Omit<
  Volume,
  | 'mount_path'
  | 'instance'
  | 'enforces_size'
  | 'attaches_while_running'
  | 'grows_while_running'
  | 'quiesce'
  | 'when_unpaid'
  | 'hardware'
> {
  readonly instance: { readonly id: string; readonly name: string; readonly status: string } | null
  readonly driver: string
}

/** `in-use` is what an instance says of it. What is prepaid returns as of `at`. */
const fieldsAt = (at: string) => sql`
  v.id, v.user_id, v.name, v.size_gb, v.region, v.driver,
  case when v.status = 'available' and i.id is not null then 'in-use' else v.status end as status, v.status_message,
  v.status = 'available' and v.stored_gb < v.size_gb as growing, v.used_bytes::float8 as used_bytes,
  case when i.id is not null then jsonb_build_object('id', i.id, 'name', i.name, 'status', i.status) end as instance,
  usd(v.month_micro) as monthly_cost, case when v.status <> 'deleting' then m.renews_at end as renews_at, v.lapsed_at,
  case when v.status <> 'deleting' then v.lapsed_at + (select grace_days from meter_kind where id = 'volume') * interval '1 day' end as deletes_at,
  usd(case when v.status <> 'deleting' and m.id is not null then rest_of(m, ${at}) else 0 end) as returns, v.created_at, v.updated_at`
const from = sql`
  from network_volumes v
  left join gpu_instances i on i.network_volume_id = v.id
  left join meter_now m on m.id = v.id`

export interface ReadNeeds extends StoreNeeds {
  readonly clock: { iso(): string }
}

export async function listVolumes(
  db: Db,
  needs: ReadNeeds,
  userId: string,
  filter: Paging & { readonly search?: string; readonly status?: string },
): Promise<Page<Volume>> {
  const [before] = readCursor(filter.cursor, [uuid]) ?? [null]
  const search = filter.search?.trim() ? `%${escapeLike(filter.search.trim())}%` : null
  const { rows } = await sql<ReadRow>`
    select * from (select ${fieldsAt(needs.clock.iso())} ${from}
      where v.user_id = ${userId} and (${before}::uuid is null or v.id < ${before}::uuid)
        and (${search}::text is null or v.name ilike ${search})) v
    where ${filter.status ?? null}::text is null or status = ${filter.status ?? null}
    order by id desc limit ${filter.limit + 1}`.execute(db)
  const { items, next_cursor } = page(rows, filter.limit, last => [last.id])
  return { items: items.map(row => present(needs, row)), next_cursor }
}

export async function getVolume(db: Db | Tx, needs: ReadNeeds, userId: string, id: string): Promise<Volume> {
  const { rows } = await sql<ReadRow>`select ${fieldsAt(needs.clock.iso())} ${from}
    where v.user_id = ${userId} and v.id = ${id}`.execute(db)
  if (!rows[0]) throw new IngotError('not_found')
  return present(needs, rows[0])
}

/** Of a store that is away: nothing that it may not be able to do. */
const unknown: Omit<VolumeCapabilities, 'readOnly' | 'measuresUsed'> = {
  enforcesSize: false,
  whileRunning: false,
  growsWhileRunning: false,
  readOnlyLive: false,
  quiesce: 'stopped',
}

function present(needs: ReadNeeds, { driver, instance, ...row }: ReadRow): Volume {
  const can = storeNamed(needs, driver)?.capabilities ?? unknown
  const path = mountPath(mountNameOf(row.name))
  return {
    ...row,
    mount_path: path,
    instance: instance && { ...instance, path },
    enforces_size: can.enforcesSize,
    attaches_while_running: can.whileRunning,
    grows_while_running: can.growsWhileRunning,
    quiesce: can.quiesce,
    when_unpaid: can.readOnlyLive ? 'read_only' : 'stops',
    hardware: hardwareOf(driver),
  }
}

/** Counted here, because a list is only a page of them. What is being deleted costs nothing any more. */
export async function getVolumesSummary(db: Db, userId: string): Promise<Output<typeof volumes.summary>> {
  const { rows } = await sql<Output<typeof volumes.summary>>`
    select v.*, s.*
    from (
      select count(*)::int as total, coalesce(sum(size_gb), 0)::int as size_gb, coalesce(sum(used_bytes), 0)::float8 as used_bytes,
        usd(coalesce(sum(month_micro), 0)::bigint) as monthly_cost
      from network_volumes where user_id = ${userId} and status <> 'deleting') v,
    (
      select count(*)::int as snapshots, coalesce(sum(used_bytes), 0)::float8 as snapshot_bytes,
        usd(coalesce(sum(month_micro), 0)::bigint) as snapshots_monthly_cost
      from volume_snapshots where user_id = ${userId} and status <> 'deleting') s`.execute(db)
  return rows[0]!
}

export async function getVolumeGrowth(
  db: Db,
  needs: ReadNeeds,
  userId: string,
  { id, size_gb }: { readonly id: string; readonly size_gb: number },
): Promise<Output<typeof volumes.growth>> {
  const volume = await getVolume(db, needs, userId, id)
  if (volume.renews_at === null)
    throw new IngotError('invalid_state', { message: whyNoMonth(volume.status, volume.lapsed_at) })
  const msLeft = Date.parse(volume.renews_at) - Date.parse(needs.clock.iso())
  return {
    total: formatUsd(growthMicro(volume.size_gb, assertLarger(volume.size_gb, size_gb), msLeft)),
    monthly_cost: formatUsd(volumeMonthMicro(size_gb)),
  }
}

/** Why one has no month that could be changed. */
export function whyNoMonth(status: string, lapsedAt: string | null): string {
  if (lapsedAt !== null) return 'The month of this volume is not paid. Restore it first.'
  return status === 'deleting' ? 'This volume is being deleted.' : 'The volume is being made.'
}

export function assertLarger(from: number, to: number): number {
  if (to > from) return to
  throw new IngotError('validation_failed', {
    fields: { size_gb: `is to be more than ${from}: a volume is made larger, never smaller` },
  })
}

const snapshotFieldsAt = (at: string) => sql`
  s.id, s.volume_id, s.volume_name, s.name, s.region, s.status, s.status_message, s.size_gb, s.used_bytes::float8 as used_bytes,
  encode(s.sha256, 'hex') as sha256, usd(s.month_micro) as monthly_cost, case when s.status <> 'deleting' then m.renews_at end as renews_at,
  s.lapsed_at, case when s.status <> 'deleting' then s.lapsed_at + (select grace_days from meter_kind where id = 'snapshot') * interval '1 day' end as deletes_at,
  usd(case when s.status <> 'deleting' and m.id is not null then rest_of(m, ${at}) else 0 end) as returns, s.created_at, s.updated_at
  from volume_snapshots s left join meter_now m on m.id = s.id`

/** Of one volume, which may be deleted by now, or all. */
export async function listSnapshots(
  db: Db,
  needs: Pick<ReadNeeds, 'clock'>,
  userId: string,
  { volumeId = null, ...paging }: Paging & { readonly volumeId?: string | null },
): Promise<Page<VolumeSnapshot>> {
  const [before] = readCursor(paging.cursor, [uuid]) ?? [null]
  const { rows } = await sql<VolumeSnapshot>`select ${snapshotFieldsAt(needs.clock.iso())}
    where s.user_id = ${userId} and (${before}::uuid is null or s.id < ${before}::uuid)
      and (${volumeId}::uuid is null or s.volume_id = ${volumeId}::uuid)
    order by s.id desc limit ${paging.limit + 1}`.execute(db)
  if (volumeId !== null && rows.length === 0) await assertVolume(db, userId, volumeId)
  return page(rows, paging.limit, last => [last.id])
}

/** Before anything is locked: whoever asks of another's learns and holds up nothing. */
export async function assertVolume(db: Db | Tx, userId: string, id: string): Promise<void> {
  await db
    .selectFrom('network_volumes')
    .select('id')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow(() => new IngotError('not_found'))
}

export async function getSnapshot(
  db: Db | Tx,
  needs: Pick<ReadNeeds, 'clock'>,
  userId: string,
  id: string,
): Promise<VolumeSnapshot> {
  const { rows } = await sql<VolumeSnapshot>`select ${snapshotFieldsAt(needs.clock.iso())}
    where s.user_id = ${userId} and s.id = ${id}`.execute(db)
  if (!rows[0]) throw new IngotError('not_found')
  return rows[0]
}

export type SnapshotRow = Selectable<Tables['volume_snapshots']>

/** The owner's row, locked. The wallet's lock comes first. */
export const lockSnapshot = (tx: Tx, userId: string, id: string): Promise<SnapshotRow> =>
  tx
    .selectFrom('volume_snapshots')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => new IngotError('not_found'))

/** The owner's row, locked. The locks of the wallet and of its instance come first. */
export const lockVolume = (tx: Tx, userId: string, id: string): Promise<VolumeRow> =>
  tx
    .selectFrom('network_volumes')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => new IngotError('not_found'))

/** The instance that has it, locked: before the volume itself. */
export async function lockHolder(
  tx: Tx,
  userId: string,
  id: string,
): Promise<Selectable<Tables['gpu_instances']> | undefined> {
  return tx
    .selectFrom('gpu_instances')
    .selectAll()
    .where('network_volume_id', '=', id)
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

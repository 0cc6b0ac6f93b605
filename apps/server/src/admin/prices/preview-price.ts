/**
 * What another price would change. Instances keep what was agreed when they were deployed, stopped and started, beyond the
 * end of a term and while they wait for a place: so nobody who has one pays anything else, and the new price is that of
 * deploys and clones from its time on. The list says what each would pay who did the same anew.
 */
import { includedStorageGb, extraStoragePerGbMonth } from '@ingot/contracts/catalog'
import type { Concerned, PricePreview } from '@ingot/contracts/admin/business'
import { IngotError } from '@ingot/contracts/errors'
import { type Micro, parseUsd } from '@ingot/contracts/money'
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { page, type Paging, readCursor, serial, uuid } from '../../db/page.ts'
import { amountTexts, assertToCome, type NewPrice, readPrice } from './new-price.ts'

interface Wish extends NewPrice, Paging {
  readonly gpu_type: string
  readonly holds_from?: string
}

interface Standing {
  readonly hourly: Micro | null
  readonly three_months: Micro | null
  readonly year: Micro | null
  readonly holds_until: string | null
  readonly replaces: boolean
  readonly customers: number
  readonly instances: number
  readonly on_terms: number
  readonly waiting: number
}

export async function previewPrice(db: Db, wish: Wish, at: string): Promise<PricePreview> {
  const { gpu_type, cursor, limit } = wish
  const price = readPrice(wish)
  assertToCome(wish.holds_from, at)
  const from = wish.holds_from === undefined ? at : new Date(wish.holds_from).toISOString()
  const { rows } = await sql<Standing>`
    select p.*, i.*, (select min(holds_from) from gpu_price where gpu_type = g.name and date_trunc('milliseconds', holds_from) > ${from}) as holds_until,
      exists (select from gpu_price where gpu_type = g.name and date_trunc('milliseconds', holds_from) = ${from}) as replaces
    from gpu_type g
    left join lateral (
      select hourly_micro as hourly, three_months_micro as three_months, year_micro as year
      from gpu_price where gpu_type = g.name and date_trunc('milliseconds', holds_from) < ${from} order by holds_from desc limit 1) p on true
    cross join lateral (
      select count(distinct user_id)::int as customers, count(*)::int as instances, (count(*) filter (where paid_until > ${at}))::int as on_terms,
        (count(*) filter (where status_reason = 'queued'))::int as waiting
      from gpu_instances where gpu_type = g.name and status <> 'terminated') i
    where g.name = ${gpu_type}`.execute(db)
  const standing = rows[0]
  if (!standing) throw new IngotError('not_found')
  const { hourly, three_months, year, holds_until, replaces, ...kept } = standing
  const before = hourly === null ? null : amountTexts({ hourly, three_months: three_months!, year: year! })
  return {
    gpu_type,
    holds_from: from,
    holds_until,
    before,
    after: amountTexts(price),
    replaces,
    kept,
    ...(await listConcerned(db, gpu_type, hourly ?? 0n, price.hourly, { cursor, limit })),
  }
}

/** Most cards first. */
async function listConcerned(db: Db, gpuType: string, before: Micro, then: Micro, { cursor, limit }: Paging) {
  const [gpus, user] = readCursor(cursor, [serial, uuid]) ?? [null, null]
  const { rows } = await sql<Concerned>`
    with mine as (
      select user_id, count(*)::int as instances, sum(gpu_count)::int as gpus, sum(hourly_cost_micro)::bigint as agreed,
        sum(round(greatest(0, storage_gb - ${includedStorageGb}) * ${parseUsd(extraStoragePerGbMonth)}::numeric / 720))::bigint as storage
      from gpu_instances where gpu_type = ${gpuType} and status <> 'terminated' group by user_id)
    select m.user_id, u.email, m.instances, m.gpus, usd(m.agreed) as agreed_per_hour,
      usd(m.gpus * ${before}::bigint + m.storage) as anew_per_hour, usd(m.gpus * ${then}::bigint + m.storage) as anew_then_per_hour
    from mine m join auth_user u on u.id = m.user_id
    where ${gpus}::int is null or m.gpus < ${gpus}::int or m.gpus = ${gpus}::int and m.user_id > ${user}::uuid
    order by m.gpus desc, m.user_id limit ${limit + 1}`.execute(db)
  return page(rows, limit, last => [String(last.gpus), last.user_id])
}

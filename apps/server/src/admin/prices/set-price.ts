/**
 * A price from now or from a later time on. A deploy reads the price under the wallet's lock at the time that it is charged
 * for, and one whose button said another is refused (`price_changed`): so nobody pays another price than they were shown.
 */
import type { PricedRow } from '@ingot/contracts/admin/business'
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import { appendAudit, giveReason } from '../../db/audit-log.ts'
import type { Tx } from '../../db/database.ts'
import { idOf } from '../../db/ids.ts'
import { assertToCome, type NewPrice, readPrice } from './new-price.ts'
import { getPrice } from './queries.ts'

export interface PriceWish extends NewPrice {
  readonly gpu_type: string
  readonly holds_from?: string
  readonly reason: string
}

export async function setPrice(
  tx: Tx,
  { gpu_type, holds_from, reason, ...price }: PriceWish,
  at: string,
): Promise<PricedRow> {
  readPrice(price)
  assertToCome(holds_from, at)
  const type = await tx
    .selectFrom('gpu_type')
    .select('name')
    .where('name', '=', gpu_type)
    .forUpdate()
    .executeTakeFirst()
  if (!type) throw new IngotError('not_found')
  const former = await getPrice(tx, gpu_type, holds_from ?? null, at)
  const standing = former ?? (await getPrice(tx, gpu_type, null, at))
  await giveReason(tx, reason)
  const { rows } = await sql<{ from: string }>`
    with given as (select greatest(${holds_from ?? null}::timestamptz, business_now()) as at)
    select date_trunc('milliseconds', at) as from, set_gpu_price(${gpu_type}, at, ${price.hourly}::numeric, ${price.three_months}::numeric, ${price.year}::numeric)
    from given`.execute(tx)
  const set = (await getPrice(tx, gpu_type, rows[0]!.from, holds_from ? at : rows[0]!.from))!
  await appendAudit(tx, { ...subject(gpu_type), before: standing ? said(standing) : null, after: said(set) })
  return set
}

export const subject = (gpuType: string) =>
  ({ kind: 'price', id: idOf('price', gpuType), userId: null }) as const
export const said = ({ gpu_type, holds_from, hourly, three_months, year }: PricedRow) => ({
  gpu: gpu_type,
  holds_from,
  hourly,
  three_months,
  year,
})

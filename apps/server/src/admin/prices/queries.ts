import type { PricedRow, priceWhens } from '@ingot/contracts/admin/business'
import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { page, type Page, type Paging, readCursor, serial, time } from '../../db/page.ts'

export interface PriceFilter {
  readonly gpu_type?: string
  readonly when?: (typeof priceWhens)[number]
}

interface Row extends PricedRow {
  readonly position: number
}

/** By GPU as the catalogue has them, of each the latest first. Times are those of the wire: whole milliseconds. */
export async function listPrices(
  db: Db | Tx,
  { gpu_type, when, cursor, limit }: PriceFilter & Paging,
  at: string,
): Promise<Page<PricedRow>> {
  const [position, name, before] = readCursor(cursor, [serial, hex, time]) ?? [null, '', null]
  const after = Buffer.from(name, 'hex').toString()
  const { rows } = await sql<Row>`
    with price as (select *, date_trunc('milliseconds', gpu_price.holds_from) as from_at from gpu_price),
    priced as (
      select g.position, g.is_on_sale, p.gpu_type, p.from_at as holds_from, lead(p.from_at) over one as holds_until,
        case when p.from_at > ${at} then 'future' when lead(p.from_at) over one <= ${at} then 'past' else 'present' end as when,
        usd(hourly_micro) as hourly, usd(three_months_micro) as three_months, usd(year_micro) as year,
        case when p.set_by ~ '^staff:' then coalesce((select email from auth_user where id = substring(p.set_by from 7)::uuid), 'a former administrator') end as set_by,
        p.set_at, p.reason
      from price p join gpu_type g on g.name = p.gpu_type
      window one as (partition by p.gpu_type order by p.from_at))
    select * from priced
    where (${gpu_type ?? null}::text is null or gpu_type = ${gpu_type ?? null}) and (${when ?? null}::text is null or "when" = ${when ?? null})
      and (${position}::int is null or (position, gpu_type) > (${position}::int, ${after})
        or (position, gpu_type) = (${position}::int, ${after}) and holds_from < ${before}::timestamptz)
    order by position, gpu_type, holds_from desc limit ${limit + 1}`.execute(db)
  const { items, next_cursor } = page(rows, limit, last => [
    String(last.position),
    Buffer.from(last.gpu_type).toString('hex'),
    last.holds_from,
  ])
  return { items: items.map(({ position: _, ...row }) => row), next_cursor }
}

const hex = (part: string): boolean => /^([0-9a-f]{2}){1,160}$/.test(part)

/** The price that holds from then on, as it was just set. */
export async function getPrice(
  tx: Db | Tx,
  gpuType: string,
  holdsFrom: string | null,
  at: string,
): Promise<PricedRow | undefined> {
  const { items } = await listPrices(tx, { gpu_type: gpuType, limit: 10_000 }, at)
  return holdsFrom === null
    ? items.find(({ when }) => when === 'present')
    : items.find(row => row.holds_from === holdsFrom)
}

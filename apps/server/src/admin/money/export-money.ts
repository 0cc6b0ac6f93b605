import type { MoneyDay, MoneyPart, moneyExports } from '@ingot/contracts/admin/business'
import type { Db } from '../../db/database.ts'
import { everyPage } from '../../db/page.ts'
import type { Bytes } from '../../http/bytes.ts'
import { type Columns, csvFile } from '../../http/csv.ts'
import { getMoney, type HeldNeeds, listMoneyBy, readSpan, type Span } from './queries.ts'

const dayColumns: Columns<MoneyDay> = {
  day: row => row.day,
  revenue_usd: row => row.revenue,
  deposits_usd: row => row.deposits,
  paid_out_usd: row => row.paid_out,
  returned_usd: row => row.returned,
  given_usd: row => row.given,
  taken_usd: row => row.taken,
  promotion_given_usd: row => row.promotion_given,
  promotion_used_usd: row => row.promotion_used,
  owed_usd: row => row.owed,
  prepaid_usd: row => row.prepaid,
  held_usd: row => row.held,
}
const partColumns: Columns<MoneyPart> = {
  key: row => row.key,
  name: row => row.label,
  revenue_usd: row => row.revenue,
  used_seconds: row => row.used_seconds,
  gpu_hours: row => row.gpu_hours,
}

export type ExportWish = Span & { readonly what: (typeof moneyExports)[number] }

export function exportMoney(db: Db, needs: HeldNeeds, { what, ...asked }: ExportWish, at: string): Bytes {
  const span = readSpan(asked, at)
  const name = `money-${what}-${span.from}-${span.to}.csv`
  if (what === 'days') return csvFile(name, dayColumns, daysOf(db, needs, span, at))
  return csvFile(
    name,
    partColumns,
    everyPage(paging => listMoneyBy(db, { ...span, ...paging, dimension: what, sort: 'revenue' }, at)),
  )
}

async function* daysOf(db: Db, needs: HeldNeeds, span: Span, at: string): AsyncGenerator<MoneyDay[]> {
  yield (await getMoney(db, needs, span, at)).days
}

/** Every read of invoices by the customer whose they are. */
import type { Invoice, InvoiceHead, InvoiceLine } from '@ingot/contracts/invoices'
import { IngotError } from '@ingot/contracts/errors'
import { formatUsd, type Micro } from '@ingot/contracts/money'
import { type RawBuilder, sql } from 'kysely'
import type { Seller } from '../../config.ts'
import type { Db, Tx } from '../../db/database.ts'
import { page, type Page, type Paging, readCursor, serial } from '../../db/page.ts'
import type { Vault } from '../../vault.ts'
import { openCustomer } from './customer.ts'

const head = sql`id, number, to_char(month, 'YYYY-MM') as month, kind, usd(total_micro) as total,
  case kind when 'invoice' then 'paid' else 'credited' end as status, issued_at`

/** By number, which is the order in which they were written. */
export async function listInvoices(
  db: Db,
  userId: string,
  { cursor, limit }: Paging,
): Promise<Page<InvoiceHead>> {
  const [before] = readCursor(cursor, [serial]) ?? [null]
  const { rows } = await sql<InvoiceHead & { readonly serial: bigint }>`
    select serial, ${head} from invoice
    where user_id = ${userId} and ${before === null ? sql`true` : sql`serial < ${before}::bigint`}
    order by serial desc limit ${limit + 1}`.execute(db)
  const { items, next_cursor } = page(rows, limit, last => [last.serial])
  return { items: items.map(({ serial: _, ...item }) => item), next_cursor }
}

export async function headsOf(
  db: Db | Tx,
  userId: string,
  which: RawBuilder<unknown>,
): Promise<InvoiceHead[]> {
  const { rows } = await sql<InvoiceHead>`
    select ${head} from invoice where user_id = ${userId} and ${which} order by serial`.execute(db)
  return rows
}

interface InvoiceRow extends InvoiceHead {
  readonly seller: Seller
  readonly customer_sealed: Buffer
  readonly exact_micro: Micro
  readonly total_micro: Micro
  readonly tax: string
  readonly wallet: Invoice['wallet']
  readonly lines: readonly InvoiceLine[]
}

export async function getInvoice(db: Db, vault: Vault, userId: string, id: string): Promise<Invoice> {
  const { rows } = await sql<InvoiceRow>`
    select ${head}, seller, customer_sealed, exact_micro, total_micro, usd(tax_micro) as tax,
      (select jsonb_build_object('opening', usd(opening_micro), 'paid_in', usd(paid_in_micro), 'charged', usd(charged_micro),
          'other', usd(other_micro), 'closing', usd(closing_micro))
        from invoice_month m where kind = 'invoice' and m.user_id = invoice.user_id and m.month = invoice.month) as wallet,
      (select jsonb_agg(jsonb_build_object('kind', code, 'label', label, 'words', words, 'detail', detail, 'about', meter_id,
          'from', rfc3339(from_at), 'to', rfc3339(to_at), 'hours', round(abs(amount_micro)::numeric / nullif(price_micro, 0), 6),
          'price_per_hour', usd(price_micro), 'amount', usd(amount_micro), 'charges', movements,
          'corrects', (select c.number from invoice c where c.id = corrects)) order by place)
        from invoice_line l where l.invoice_id = invoice.id) as lines
    from invoice where id = ${id} and user_id = ${userId}`.execute(db)
  const row = rows[0]
  if (!row) throw new IngotError('not_found')
  const { name, address, tax_number, tax_name, tax_rate, note } = row.seller
  return {
    id: row.id,
    number: row.number,
    month: row.month,
    kind: row.kind,
    total: row.total,
    status: row.status,
    issued_at: row.issued_at,
    seller: { name, address: [...address], tax_number, note },
    customer: openCustomer(vault, userId, row.customer_sealed),
    lines: [...row.lines],
    subtotal: formatUsd(row.exact_micro),
    rounding: formatUsd(row.total_micro - row.exact_micro),
    tax: tax_rate ? { name: tax_name, percent: tax_rate / 100, amount: row.tax } : null,
    wallet: row.wallet,
  }
}

interface OpenMonth {
  readonly month: string
  readonly so_far: string
  readonly is_over: boolean
}

/** Months that are not closed, with what they will charge; what runs counts in the month of `at`. */
export async function getOpenInvoices(db: Db, userId: string, at: string): Promise<{ items: OpenMonth[] }> {
  const { rows } = await sql<OpenMonth>`
    with charged as (
      select month, -sum(change_micro) as micro from not_invoiced(${userId}) where is_invoiced(code) group by 1
      union all
      select date_trunc('month', ${at}::timestamptz)::date, coalesce(wallet_accrued(${userId}, ${at}), 0))
    select to_char(month, 'YYYY-MM') as month, usd(sum(micro)::bigint) as so_far,
      ${at}::timestamptz >= (month + interval '1 month') at time zone 'UTC' as is_over
    from charged group by month order by month desc`.execute(db)
  return { items: rows }
}

import type { InvoiceIdentity } from '@ingot/contracts/admin/business'
import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/database.ts'

/** As the configuration has it now. What an invoice was written with stands in that. */
export async function getIdentity(db: Db, { invoices }: Pick<Config, 'invoices'>): Promise<InvoiceIdentity> {
  const { seller, prefix } = invoices
  const { rows } = await sql<Pick<InvoiceIdentity, 'invoices' | 'last_number'>>`
    select last_serial::int as invoices, (select number from invoice order by serial desc limit 1) as last_number
    from invoice_counter`.execute(db)
  return {
    name: seller.name || null,
    address: [...seller.address],
    tax_number: seller.tax_number || null,
    tax_name: seller.tax_name,
    tax_percent: seller.tax_rate === 0 ? null : seller.tax_rate / 100,
    note: seller.note || null,
    prefix,
    ...rows[0]!,
  }
}

/**
 * The billing history as a file: every line that matches, whatever a screen shows of them. Page by page, as fast as it is
 * taken, so the longest history takes no more memory than a short one.
 */
import type { BillingEntry, billingExports } from '@ingot/contracts/billing'
import type { Database } from '../db/database.ts'
import { everyPage } from '../db/page.ts'
import type { Bytes } from '../http/bytes.ts'
import { type Columns, csvFile } from '../http/csv.ts'
import { exportFocus } from './export-focus.ts'
import { type BillingFilter, listBilling } from './queries.ts'

const columns: Columns<BillingEntry> = {
  time: entry => entry.created_at,
  description: entry => entry.description,
  status: entry => entry.status,
  amount_usd: entry => entry.amount,
  instance_id: entry => entry.instance_id,
  id: entry => entry.id,
  kind: entry => entry.kind,
}

export type ExportWish = BillingFilter & { readonly format: (typeof billingExports)[number] }

export function exportBilling(
  database: Database,
  userId: string,
  { format, ...filter }: ExportWish,
  issuer: string,
): Bytes {
  const pages = everyPage(page => listBilling(database, userId, { ...filter, ...page }))
  return format === 'focus'
    ? exportFocus(database.kysely, userId, pages, issuer)
    : csvFile('billing.csv', columns, pages)
}

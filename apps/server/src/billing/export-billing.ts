/** The billing history as a spreadsheet: every line that matches, whatever a screen shows of them. */
import type { BillingEntry } from '@ingot/contracts/billing'
import type { Db } from '../db/database.ts'
import { everyPage } from '../db/page.ts'
import type { Bytes } from '../http/bytes.ts'
import { type Columns, csvFile } from '../http/csv.ts'
import { type BillingFilter, listBilling } from './queries.ts'

const columns: Columns<BillingEntry> = {
  time: entry => entry.created_at,
  description: entry => entry.description,
  status: entry => entry.status,
  amount_usd: entry => entry.amount,
  instance_id: entry => entry.instance_id,
  id: entry => entry.id,
}

export const exportBilling = (db: Db, userId: string, filter: BillingFilter): Bytes =>
  csvFile(
    'billing.csv',
    columns,
    everyPage(page => listBilling(db, userId, { ...filter, ...page })),
  )

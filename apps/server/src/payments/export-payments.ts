/** Transfers as a spreadsheet: every one that matches, page by page, as fast as it is taken. */
import type { Payment } from '@ingot/contracts/payments'
import type { Db } from '../db/database.ts'
import { everyPage } from '../db/page.ts'
import type { Bytes } from '../http/bytes.ts'
import { type Columns, csvFile } from '../http/csv.ts'
import { listPayments, type PaymentFilter } from './queries.ts'

const columns: Columns<Payment> = {
  time: payment => payment.created_at,
  user_id: payment => payment.user_id,
  user_email: payment => payment.user_email,
  chain: payment => payment.chain,
  tx_hash: payment => payment.tx_hash,
  amount_usdt: payment => payment.amount_usdt,
  status: payment => payment.status,
  reason: payment => payment.reason,
  note: payment => payment.note,
  confirmations: payment => payment.confirmations_seen,
  updated_at: payment => payment.updated_at,
  id: payment => payment.id,
}

export const exportPayments = (db: Db, filter: PaymentFilter): Bytes =>
  csvFile(
    'payments.csv',
    columns,
    everyPage(page => listPayments(db, { ...filter, ...page })),
  )

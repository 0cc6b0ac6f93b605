/** The audit log as a spreadsheet: every entry that matches, whatever a screen shows of them. */
import type { AuditEntry } from '@ingot/contracts/admin/audit-log'
import type { Db } from '../../db/database.ts'
import { everyPage } from '../../db/page.ts'
import type { Bytes } from '../../http/bytes.ts'
import { type Columns, csvFile } from '../../http/csv.ts'
import { type AuditFilter, listAuditLog } from './queries.ts'

const sideOf = ({ changes }: AuditEntry, side: 'before' | 'after'): string =>
  changes
    .filter(change => change[side] !== null)
    .map(change => `${change.field}: ${change[side]}`)
    .join('; ')

const columns: Columns<AuditEntry> = {
  time: entry => entry.at,
  actor: entry => entry.actor,
  actor_email: entry => entry.actor_person?.email ?? null,
  role: entry => entry.role,
  ip: entry => entry.ip,
  operation: entry => entry.operation,
  customer: entry => entry.customer?.id ?? null,
  customer_email: entry => entry.customer?.email ?? null,
  subject: entry => entry.subject_kind,
  subject_id: entry => entry.subject_id,
  reason: entry => entry.reason,
  before: entry => sideOf(entry, 'before'),
  after: entry => sideOf(entry, 'after'),
  request: entry => entry.request_id,
  entry: entry => entry.id,
}

export const exportAuditLog = (db: Db, filter: AuditFilter): Bytes =>
  csvFile(
    'audit-log.csv',
    columns,
    everyPage(page => listAuditLog(db, { ...filter, ...page })),
  )

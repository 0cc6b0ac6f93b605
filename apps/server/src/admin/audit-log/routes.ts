import type { auditLog } from '@ingot/contracts/admin/audit-log'
import type { Handlers } from '../../http/bind.ts'
import { exportAuditLog } from './export-audit-log.ts'
import { listAuditLog } from './queries.ts'

export const auditLogRoutes: Handlers<typeof auditLog> = {
  auditLog: (input, { db }) => listAuditLog(db, input),
  exportAuditLog: async (filter, { db }) => exportAuditLog(db, filter),
}

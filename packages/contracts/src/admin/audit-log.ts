/** What staff did, and what changed the safety of accounts, as administrators read it. */
import * as z from 'zod/mini'
import { auditChange } from '../accounts.ts'
import { id, maxSearchText, operation, page, paging, timestamp } from '../operation.ts'

export const auditSubjects = [
  'account',
  'factor',
  'identity',
  'api_key',
  'ssh_key',
  'sso_provider',
  'inquiry',
  'instance',
  'volume',
  'ticket',
  'price',
  'books',
  'host',
  'template',
  'ai_settings',
  'announcement',
  'maintenance',
] as const

const person = z.object({
  id,
  /** Null where there is none, or the account is erased. */
  email: z.nullable(z.string()),
})

export const auditEntry = z.object({
  id: z.string(),
  at: timestamp,
  /** `staff:<id>`, `user:<id>`, `key:<id>`, `staff:service_role`, `visitor` or `system`. */
  actor: z.string(),
  /** The person behind it, also behind a key. */
  actor_person: z.nullable(person),
  /** The role that they had. */
  role: z.nullable(z.string()),
  ip: z.nullable(z.string()),
  request_id: z.nullable(z.string()),
  /** The call's id; of a call of the auth service its method and path; null where none was made. */
  operation: z.nullable(z.string()),
  subject_kind: z.string(),
  subject_id: z.string(),
  /** Whose account it is about. */
  customer: z.nullable(person),
  reason: z.nullable(z.string()),
  changes: z.array(auditChange),
})
export type AuditEntry = z.infer<typeof auditEntry>

const who = z.string().check(z.minLength(1), z.maxLength(255))
const filter = {
  /** Who did it: an id or an address, or one of `system`, `visitor` and `service_role`. */
  actor: z.optional(who),
  /** Whose account it is about: an id or an address. */
  customer: z.optional(who),
  operation: z.optional(z.string().check(z.minLength(1), z.maxLength(100))),
  subject_kind: z.optional(z.string().check(z.minLength(1), z.maxLength(40))),
  from: z.optional(timestamp),
  /** Before then. */
  to: z.optional(timestamp),
  /** Words of the reason, or their beginnings. */
  search: z.optional(z.string().check(z.maxLength(maxSearchText))),
}

export const auditLog = {
  auditLog: operation({
    id: 'listAuditLog',
    method: 'GET',
    path: '/v1/admin/audit-log',
    who: 'admin',
    summary: 'What staff did and what changed the safety of accounts, newest first',
    input: z.object({ ...paging, ...filter }),
    output: page(auditEntry),
    status: 200,
    errors: [],
  }),
  exportAuditLog: operation({
    id: 'exportAuditLog',
    method: 'GET',
    path: '/v1/admin/audit-log/export',
    who: 'admin',
    summary: 'The audit log as a spreadsheet, with the same filters',
    transport: 'bytes',
    mediaTypes: ['text/csv'],
    input: z.object(filter),
    status: 200,
    errors: [],
  }),
}

/** What administrators do for the whole service. Calls that belong to one noun stand with it. */
import * as z from 'zod/mini'
import { userRoles } from './accounts.ts'
import { adminBilling } from './admin/billing.ts'
import { adminInstances } from './admin/instances.ts'
import { overview } from './admin/overview.ts'
import { adminUsers } from './admin/users.ts'
import { adminVolumes } from './admin/volumes.ts'
import { id, operation } from './operation.ts'

export const admin = {
  ...overview,
  ...adminUsers,
  setRole: operation({
    id: 'setUserRole',
    method: 'PUT',
    path: '/v1/admin/users/{id}/role',
    who: 'admin',
    fresh: true,
    summary: 'Give a user another role, effective with their next call',
    input: z.object({
      id,
      role: z.enum(userRoles),
      /** For the audit log. */
      reason: z.optional(z.string().check(z.minLength(1), z.maxLength(500))),
    }),
    output: z.object({ id, role: z.enum(userRoles) }),
    status: 200,
    errors: ['not_found', 'last_administrator'],
  }),
  ...adminInstances,
  ...adminVolumes,
  ...adminBilling,
}

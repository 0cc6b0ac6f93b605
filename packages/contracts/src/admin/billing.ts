/** The bills of all users. */
import * as z from 'zod/mini'
import { billingEntry, billingLineKinds, billingStatuses } from '../billing.ts'
import { id, operation, page, paging } from '../operation.ts'
import { search } from './acts.ts'

/** Lines of a page unless more are asked for. */
export const billingPageSize = 20

export const adminBillingEntry = z.extend(billingEntry, {
  /** Null: the account is deleted. */
  user_email: z.nullable(z.string()),
})
export type AdminBillingEntry = z.infer<typeof adminBillingEntry>

const day = z.iso.date()
const filter = {
  /**
   * Part of an owner’s e-mail address, or how the id of an owner or a line begins, or all of that of an instance or a
   * volume; where there is none such, words of the description: then a page looks at so many lines and may be short.
   */
  search,
  status: z.optional(z.enum(billingStatuses)),
  kind: z.optional(z.enum(billingLineKinds)),
  user_id: z.optional(id),
  /** The first and the last day (UTC), by the time of the line. */
  from: z.optional(day),
  to: z.optional(day),
}

export const adminBilling = {
  billing: operation({
    id: 'listAllBilling',
    method: 'GET',
    path: '/v1/admin/billing',
    who: 'admin',
    summary: 'Every charge and credit of all users, newest first',
    input: z.object({
      ...paging,
      limit: z._default(z.int().check(z.minimum(1), z.maximum(100)), billingPageSize),
      ...filter,
    }),
    output: page(adminBillingEntry),
    status: 200,
    errors: [],
  }),
  exportBilling: operation({
    id: 'exportAllBilling',
    method: 'GET',
    path: '/v1/admin/billing/export',
    who: 'admin',
    summary: 'Every charge and credit of all users that matches, as a spreadsheet',
    input: z.object(filter),
    transport: 'bytes',
    mediaTypes: ['text/csv'],
    status: 200,
    errors: [],
  }),
}

/** The users of the whole service. */
import * as z from 'zod/mini'
import { userRoles } from '../accounts.ts'
import { id, operation, page, timestamp, usd } from '../operation.ts'
import { order, orderedPaging, search } from './acts.ts'

export const userSorts = ['created', 'email', 'balance', 'spent', 'last_seen'] as const
/** `low`: less than $100; `empty`: nothing. */
export const balanceFilters = ['low', 'empty'] as const
/** A balance below this is low. */
export const lowBalanceUsd = 100
/** Cells of the load of a user's cards, two hours each, the oldest first. */
export const userLoadCells = 12
/** Days that `spent_30d` counts. */
export const spentDays = 30

const fields = {
  id,
  /** Null: the address was taken off the account. */
  email: z.nullable(z.string()),
  first_name: z.string(),
  last_name: z.string(),
  role: z.enum(userRoles),
  plan_name: z.string(),
  balance_usd: usd,
  /** How long balance, credit and what is prepaid last at what runs now; null: nothing runs that costs. */
  hours_left: z.nullable(z.number()),
  /** What was earned of them today and in the 29 days before (UTC): time that was used, less what was returned. */
  spent_30d: usd,
  /** Instances that run. */
  running: z.int(),
  /** Mean load of their cards in percent in the last 24 hours; a cell is null where nothing was measured. Null: nothing was at all. */
  gpu_load: z.nullable(z.array(z.nullable(z.int()))),
  /** What runs has simulated cards alone: no load is shown of them. */
  simulated: z.boolean(),
  last_seen_at: z.nullable(timestamp),
  /** Since when an administrator keeps them out; null: nobody does. */
  suspended_at: z.nullable(timestamp),
  created_at: timestamp,
}
export const adminUser = z.object(fields)
export type AdminUser = z.infer<typeof adminUser>

export const adminUserDetails = z.object({
  ...fields,
  company: z.string(),
  /** In the company, as the profile says: no permission. */
  job: z.string(),
  use_case: z.string(),
  phone: z.nullable(z.string()),
  /** Not terminated. */
  instances: z.int(),
  volumes: z.int(),
  /** All of them, and those that are open or in progress. */
  tickets: z.int(),
  open_tickets: z.int(),
  /** The sum of the absolute amounts of all lines of the bill. */
  billing_absolute_sum: usd,
  deposited: usd,
  withdrawn: usd,
  sessions: z.int(),
  keys: z.int(),
  /** The account is deleted: only what must be kept of it is left. */
  is_deleted: z.boolean(),
})
export type AdminUserDetails = z.infer<typeof adminUserDetails>

const filter = {
  /** Part of an e-mail address or a name, or how an id begins. */
  search,
  role: z.optional(z.enum(userRoles)),
  balance: z.optional(z.enum(balanceFilters)),
  /** Those who are kept out, or the others. */
  suspended: z.optional(z.boolean()),
}

export const adminUsers = {
  users: operation({
    id: 'listUsers',
    method: 'GET',
    path: '/v1/admin/users',
    who: 'admin',
    summary:
      'Every user with balance, spending and what runs, the newest first unless another order is asked for',
    input: z.object({ ...orderedPaging, ...filter, sort: z._default(z.enum(userSorts), 'created'), order }),
    output: page(adminUser),
    status: 200,
    errors: [],
  }),
  exportUsers: operation({
    id: 'exportUsers',
    method: 'GET',
    path: '/v1/admin/users/export',
    who: 'admin',
    summary: 'Every user that matches, as a spreadsheet',
    input: z.object(filter),
    transport: 'bytes',
    mediaTypes: ['text/csv'],
    status: 200,
    errors: [],
  }),
  user: operation({
    id: 'getUser',
    method: 'GET',
    path: '/v1/admin/users/{id}',
    who: 'admin',
    summary: 'One user with profile, machines and the sums of their bill; also one whose account is deleted',
    input: z.object({ id }),
    output: adminUserDetails,
    status: 200,
    errors: ['not_found'],
  }),
}

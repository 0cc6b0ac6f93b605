/** What the wallet paid and received, one line per movement. */
import * as z from 'zod/mini'
import { id, maxSearchText, operation, page, paging, timestamp, usd } from './operation.ts'

export const billingStatuses = ['paid', 'pending', 'failed', 'refunded'] as const

export const billingEntry = z.object({
  id,
  user_id: id,
  description: z.string(),
  /** Negative: a charge. Positive: a credit. */
  amount: usd,
  status: z.enum(billingStatuses),
  /** What it is about, if that costs money over time: its kind, and its id. */
  about: z.nullable(z.object({ kind: z.string(), id })),
  /** The instance it is about, if any. */
  instance_id: z.nullable(id),
  created_at: timestamp,
})
export type BillingEntry = z.infer<typeof billingEntry>

const filter = {
  /** Matches the description. */
  search: z.optional(z.string().check(z.maxLength(maxSearchText))),
  status: z.optional(z.enum(billingStatuses)),
}

export const billing = {
  list: operation({
    id: 'listBilling',
    method: 'GET',
    path: '/v1/billing',
    who: 'user',
    summary: 'Every charge and credit of your wallet, newest first',
    input: z.object({ ...paging, ...filter }),
    output: page(billingEntry),
    status: 200,
    errors: [],
  }),
  export: operation({
    id: 'exportBilling',
    method: 'GET',
    path: '/v1/billing/export',
    who: 'user',
    summary: 'Every charge and credit that matches, as a spreadsheet',
    input: z.object(filter),
    transport: 'bytes',
    mediaTypes: ['text/csv'],
    status: 200,
    errors: [],
  }),
  summary: operation({
    id: 'getSpending',
    method: 'GET',
    path: '/v1/billing/summary',
    who: 'user',
    summary: 'Spent and used since the first of this month (UTC), what runs now included',
    input: z.object({}),
    output: z.object({
      month_start: timestamp,
      spent: usd,
      usage_minutes: z.number(),
      total_spent: usd,
      pending: usd,
    }),
    status: 200,
    errors: [],
  }),
}

/** What the wallet paid and received, one line per movement. */
import * as z from 'zod/mini'
import { id, maxSearchText, operation, page, paging, timestamp, usd } from './operation.ts'

export const billingStatuses = ['paid', 'pending', 'failed', 'refunded'] as const

/**
 * What a line is: `term` a deploy for a term, `month` a month in advance (the first too) or what the rest of one
 * costs more, `credit` an operator's correction, `promotion` what
 * credit paid of a charge or got back of it, `payout` what left with an account.
 */
export const billingLineKinds = [
  'deposit',
  'deploy',
  'term',
  'month',
  'usage',
  'return',
  'credit',
  'promotion',
  'debit',
  'hold',
  'payout',
] as const

/** What costs money over time. */
export const billedKinds = ['instance', 'volume', 'snapshot'] as const

export const billingEntry = z.object({
  id,
  user_id: id,
  kind: z.enum(billingLineKinds),
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

/** How a line came about, and where the money went. */
export const receipt = z.object({
  entry: billingEntry,
  /** The movement's number in the ledger; null: nothing has moved yet. */
  number: z.nullable(z.string()),
  balance_before: z.nullable(usd),
  balance_after: z.nullable(usd),
  /** Of a charge for time. */
  usage: z.nullable(
    z.object({
      from: timestamp,
      to: timestamp,
      ms: z.number(),
      price_per_hour: usd,
      /** From what was prepaid, and from the wallet: `entry` is the latter. */
      prepaid: usd,
      wallet: usd,
      /** The part of both that credit paid. */
      credit: usd,
      amount: usd,
      /** What is left below a millionth of a dollar, in parts of 3,600,000 of it: from the time before, and to the next. */
      carried_in: z.number(),
      carried_out: z.number(),
      /** It was returned: time charged beyond the end of a run. */
      is_return: z.boolean(),
    }),
  ),
  /** As it is now; null: there is none, or it is gone with all that was known of it. */
  instance: z.nullable(
    z.object({
      id,
      name: z.string(),
      status: z.string(),
      gpu_type: z.string(),
      gpu_count: z.number(),
      region: z.string(),
    }),
  ),
  /** The volume or snapshot that it is about. */
  storage: z.nullable(
    z.object({
      kind: z.enum(['volume', 'snapshot']),
      id,
      /** Of a snapshot: what it was taken of, while that is known. */
      volume_id: z.nullable(id),
      name: z.string(),
      /** As it is now; null: it is gone. */
      size_gb: z.nullable(z.int()),
      region: z.nullable(z.string()),
    }),
  ),
  /** The month that was paid in advance, by when it was paid: a first one begins when the volume or snapshot is there. */
  month: z.nullable(z.object({ from: timestamp, to: timestamp })),
  deposit: z.nullable(z.object({ chain: z.string(), txid: z.string(), block_number: z.number() })),
})
export type Receipt = z.infer<typeof receipt>

const day = z.iso.date()

const filter = {
  /** Matches the description. */
  search: z.optional(z.string().check(z.maxLength(maxSearchText))),
  status: z.optional(z.enum(billingStatuses)),
  kind: z.optional(z.enum(billingLineKinds)),
  /** Lines about instances, volumes or snapshots. */
  about: z.optional(z.enum(billedKinds)),
  /** Lines about one instance. */
  instance: z.optional(id),
  /** The first and the last day (UTC), by the time of the line. */
  from: z.optional(day),
  to: z.optional(day),
}

/** `focus`: charges alone, in the columns of FOCUS 1.2. */
export const billingExports = ['csv', 'focus'] as const

/** What usage is counted by, and what a day or an hour is split by. Both are of UTC. */
export const usageGroups = ['hour', 'day', 'instance', 'kind'] as const
export const usageSplits = ['gpu', 'instance', 'region'] as const
/** Days that one answer tells of. */
export const mostUsageDays = 366
/** By the hour, so many. */
export const mostUsageHourDays = 8
/** Parts of a day or an hour that are named; what is left of it is one more, without a key. */
export const mostUsageParts = 8

const usageSum = {
  /** What it cost, whether it was prepaid or came from the wallet, less what was returned. */
  amount: usd,
  /** How long it ran, of all together. */
  used_ms: z.number(),
}
const usagePart = z.object({
  /** The GPU, or the kind of what has none; the instance's or volume's id; the region. Null: all that are not named. */
  key: z.nullable(z.string()),
  label: z.string(),
  ...usageSum,
})
export const usageRow = z.object({
  /** When the hour begins, the day, the instance's id or the kind. */
  key: z.string(),
  label: z.string(),
  ...usageSum,
  /** Of an hour or a day. They add up to it. */
  parts: z.array(usagePart),
})
export type UsageRow = z.infer<typeof usageRow>

/** Days back that `balance` tells of at most. */
export const mostBalanceDays = 31

export const balanceHistory = z.object({
  /** Later than asked for where the account moved so much that no more is read. */
  from: timestamp,
  to: timestamp,
  /**
   * Oldest first, with straight lines between them: the last movement of each hour, before and after what was no usage, and
   * now, with what has accrued.
   */
  points: z.array(z.object({ at: timestamp, balance: usd })),
  /** Those credited in this time, oldest first: the newest hundred. */
  deposits: z.array(z.object({ at: timestamp, amount: usd })),
})
export type BalanceHistory = z.infer<typeof balanceHistory>

export const billing = {
  list: operation({
    id: 'listBilling',
    method: 'GET',
    path: '/v1/billing',
    who: 'user',
    actable: true,
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
    summary: 'Every charge and credit that matches, as a spreadsheet, or in the format of FOCUS 1.2',
    input: z.object({ ...filter, format: z._default(z.enum(billingExports), 'csv') }),
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
    actable: true,
    summary: 'Spent and used since the first of this month (UTC), what runs now included',
    input: z.object({}),
    output: z.object({
      month_start: timestamp,
      spent: usd,
      usage_minutes: z.number(),
      total_spent: usd,
      /** Accrued by what runs now and not settled yet; in `spent` as well. */
      pending: usd,
      /** Deposits on their way, and those that wait for the minimum. */
      arriving: usd,
    }),
    status: 200,
    errors: [],
  }),
  usage: operation({
    id: 'getUsage',
    method: 'GET',
    path: '/v1/usage',
    who: 'user',
    actable: true,
    summary: 'What ran and what it cost, by hour, day, instance or kind, up to now',
    input: z.object({
      by: z._default(z.enum(usageGroups), 'day'),
      /** What a day or an hour is split by. */
      split: z._default(z.enum(usageSplits), 'gpu'),
      /** The first day; without it the first of the month of `to`, and by the hour `to` itself. */
      from: z.optional(day),
      /** The last day; without it today. */
      to: z.optional(day),
    }),
    output: z.object({
      from: day,
      to: day,
      ...usageSum,
      /** Days and hours in their order, all else the dearest first. A day or an hour without usage is left out. */
      items: z.array(usageRow),
    }),
    status: 200,
    errors: [],
  }),
  balance: operation({
    id: 'getBalanceHistory',
    method: 'GET',
    path: '/v1/billing/balance',
    who: 'user',
    actable: true,
    summary: 'The balance of the last days up to now, and the deposits among them',
    input: z.object({ days: z._default(z.int().check(z.minimum(1), z.maximum(mostBalanceDays)), 6) }),
    output: balanceHistory,
    status: 200,
    errors: [],
  }),
  receipt: operation({
    id: 'getReceipt',
    method: 'GET',
    path: '/v1/billing/{id}',
    who: 'user',
    actable: true,
    summary: 'One line of your bill: what was measured, how it adds up, where it went',
    input: z.object({ id }),
    output: receipt,
    status: 200,
    errors: ['not_found'],
  }),
}

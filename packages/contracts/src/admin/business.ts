/** What operators run a business with: what was earned and is owed, by day; prices with dates; who the invoices are from. */
import * as z from 'zod/mini'
import { gpuType } from '../catalog-calls.ts'
import { id, nothing, operation, page, paging, timestamp, usd } from '../operation.ts'

const day = z.iso.date()
/** Days that one answer tells of at most, and how many it tells of unasked. */
export const mostMoneyDays = 366
export const usualMoneyDays = 30
const span = {
  /** The first day (UTC); without it 29 days before the last. */
  from: z.optional(day),
  /** The last day; without it today. */
  to: z.optional(day),
}

const flows = {
  /** Earned: what came to revenue less what went back. A term in advance is earned when it is over. */
  revenue: usd,
  /** USDT that was credited. */
  deposits: usd,
  /** Withdrawals and refunds that the chain shows as paid. */
  paid_out: usd,
  /** Time that was charged and came back, in `revenue` already. */
  returned: usd,
  /** By hand, to wallets; and taken from them. */
  given: usd,
  taken: usd,
  /** Credit of first deposits: given, and what of it paid for something. */
  promotion_given: usd,
  promotion_used: usd,
}
export const moneyDay = z.object({
  day,
  ...flows,
  /** What customers hold at the end of the day: wallets, what is set aside of them, and what former customers are owed. */
  owed: usd,
  /** Paid in advance for what is not used yet. */
  prepaid: usd,
  /** USDT on deposit addresses and on the operator’s own that are set, as transfers there say. */
  held: usd,
})
export type MoneyDay = z.infer<typeof moneyDay>

const check = z.object({
  /** When ledger and chain were last compared. */
  at: timestamp,
  findings: z.int(),
  is_running: z.boolean(),
})

export const money = z.object({
  from: day,
  to: day,
  /** Oldest first, each day of the span. The last one may be today: so far. */
  days: z.array(moneyDay),
  /** Of the whole span. */
  total: z.object(flows),
  now: z.object({
    at: timestamp,
    /** Earned today, as it is booked. */
    revenue: usd,
    /** Used and not booked yet. */
    accrued: usd,
    /** What all that runs costs in an hour, terms in advance left out. */
    rate_per_hour: usd,
    /** Booked, accrued, and the hours that are left of the day (UTC) at this rate. */
    projected: usd,
    owed: usd,
    prepaid: usd,
    held: usd,
    /** Wallets that hold something. */
    balances: z.int(),
    /** Since the first day: every amount on a bill without its sign, as the specification counts it, and what was earned. */
    billed_in_all: usd,
    earned_in_all: usd,
  }),
  check,
})
export type Money = z.infer<typeof money>

export const moneyDimensions = ['card', 'region', 'customer'] as const
export const moneySorts = ['revenue', 'gpu_hours'] as const

export const moneyPart = z.object({
  /** The GPU, the region, or the customer’s id; '' for what has none. */
  key: z.string(),
  label: z.string(),
  revenue: usd,
  /** How long things of it ran; null for a customer. */
  used_seconds: z.nullable(z.int()),
  /** The same times their cards. */
  gpu_hours: z.number(),
})
export type MoneyPart = z.infer<typeof moneyPart>

export const moneyExports = ['days', ...moneyDimensions] as const

const priceText = z.string().check(z.regex(/^[0-9]{1,6}(\.[0-9]{1,6})?$/))
const reason = z.string().check(z.minLength(1), z.maxLength(250), z.regex(/\S/))
/** For one GPU: an hour, and the two terms as a whole. */
const priceAmounts = { hourly: usd, three_months: usd, year: usd }
const newPrice = {
  hourly: priceText,
  /** 2,160 hours; never more than the same hours one by one. */
  three_months: priceText,
  /** 8,760 hours. */
  year: priceText,
}
/** From when on; without it from now. By the clock of metering. */
const holdsFrom = z.optional(timestamp)

export const priceWhens = ['past', 'present', 'future'] as const
export const pricedRow = z.object({
  gpu_type: gpuType,
  holds_from: timestamp,
  /** When the next one takes its place; null: none is set. */
  holds_until: z.nullable(timestamp),
  when: z.enum(priceWhens),
  ...priceAmounts,
  is_on_sale: z.boolean(),
  /** The address of who set it; null: it came with the product, or whoever owns the database did. */
  set_by: z.nullable(z.string()),
  set_at: z.nullable(timestamp),
  reason: z.nullable(z.string()),
})
export type PricedRow = z.infer<typeof pricedRow>

/** One customer with instances on such cards. What they have keeps its price; a deploy or clone after the change has the new one. */
export const concerned = z.object({
  user_id: id,
  /** Null: an account without one. */
  email: z.nullable(z.string()),
  instances: z.int(),
  gpus: z.int(),
  /** An hour of all of these running, as agreed, terms included. It stays so. */
  agreed_per_hour: usd,
  /** The same machines deployed anew, by the price in force and by the new one. */
  anew_per_hour: usd,
  anew_then_per_hour: usd,
})
export type Concerned = z.infer<typeof concerned>

export const pricePreview = z.object({
  gpu_type: gpuType,
  holds_from: timestamp,
  holds_until: z.nullable(timestamp),
  /** In force until then; null: it is not sold yet. */
  before: z.nullable(z.object(priceAmounts)),
  after: z.object(priceAmounts),
  /** Whether a price for exactly this time is replaced. */
  replaces: z.boolean(),
  /** What is there keeps what was agreed: in all, on terms in advance, and waiting for a place. */
  kept: z.object({ customers: z.int(), instances: z.int(), on_terms: z.int(), waiting: z.int() }),
  items: z.array(concerned),
  next_cursor: z.nullable(z.string()),
})
export type PricePreview = z.infer<typeof pricePreview>

export const invoiceIdentity = z.object({
  /** Null: statements without a sender. */
  name: z.nullable(z.string()),
  address: z.array(z.string()),
  tax_number: z.nullable(z.string()),
  tax_name: z.string(),
  /** Percent that prices include; null: no line of tax. */
  tax_percent: z.nullable(z.number()),
  note: z.nullable(z.string()),
  prefix: z.string(),
  /** How many were numbered, and the last number. */
  invoices: z.int(),
  last_number: z.nullable(z.string()),
})
export type InvoiceIdentity = z.infer<typeof invoiceIdentity>

export const business = {
  money: operation({
    id: 'getMoney',
    method: 'GET',
    path: '/v1/admin/money',
    who: 'admin',
    summary: 'What was earned, came in and went out by day, and what customers hold against what is held',
    input: z.object(span),
    output: money,
    status: 200,
    errors: [],
  }),
  by: operation({
    id: 'listMoneyBy',
    method: 'GET',
    path: '/v1/admin/money/by',
    who: 'admin',
    summary: 'Revenue and use by card, region or customer; of customers in whole months',
    input: z.object({
      ...paging,
      ...span,
      dimension: z._default(z.enum(moneyDimensions), 'card'),
      sort: z._default(z.enum(moneySorts), 'revenue'),
    }),
    output: z.object({
      /** Of customers the months that the days lie in. */
      from: day,
      to: day,
      /** Of all lines, not of this page alone. */
      revenue: usd,
      gpu_hours: z.number(),
      items: z.array(moneyPart),
      next_cursor: z.nullable(z.string()),
    }),
    status: 200,
    errors: [],
  }),
  export: operation({
    id: 'exportMoney',
    method: 'GET',
    path: '/v1/admin/money/export',
    who: 'admin',
    summary: 'The same as a spreadsheet: by day, card, region or customer',
    input: z.object({ ...span, what: z._default(z.enum(moneyExports), 'days') }),
    transport: 'bytes',
    mediaTypes: ['text/csv'],
    status: 200,
    errors: [],
  }),
  check: operation({
    id: 'checkMoney',
    method: 'POST',
    path: '/v1/admin/money/check',
    who: 'admin',
    summary: 'Compares ledger and chain now, at most once a minute. It goes on after the answer',
    input: nothing,
    output: check,
    status: 202,
    errors: ['rate_limited', 'invalid_state'],
  }),
  identity: operation({
    id: 'getInvoiceIdentity',
    method: 'GET',
    path: '/v1/admin/money/identity',
    who: 'admin',
    summary: 'Who invoices are from and which tax prices include, as configured',
    input: nothing,
    output: invoiceIdentity,
    status: 200,
    errors: [],
  }),
  prices: operation({
    id: 'listPrices',
    method: 'GET',
    path: '/v1/admin/prices',
    who: 'admin',
    summary: 'Every price that held, holds or will hold, by GPU, the latest first',
    input: z.object({
      ...paging,
      gpu_type: z.optional(gpuType),
      when: z.optional(z.enum(priceWhens)),
    }),
    output: page(pricedRow),
    status: 200,
    errors: [],
  }),
  previewPrice: operation({
    id: 'previewPrice',
    method: 'GET',
    path: '/v1/admin/prices/preview',
    who: 'admin',
    summary: 'What another price would change, for whom and from when. It sets nothing',
    input: z.object({ ...paging, ...newPrice, gpu_type: gpuType, holds_from: holdsFrom }),
    output: pricePreview,
    status: 200,
    errors: ['not_found'],
  }),
  setPrice: operation({
    id: 'setPrice',
    method: 'POST',
    path: '/v1/admin/prices',
    who: 'admin',
    fresh: true,
    summary: 'Sets the price of a GPU from now or from a later time on; what is deployed keeps its own',
    input: z.object({ ...newPrice, gpu_type: gpuType, holds_from: holdsFrom, reason }),
    output: pricedRow,
    status: 201,
    errors: ['not_found'],
  }),
  cancelPrice: operation({
    id: 'cancelPrice',
    method: 'POST',
    path: '/v1/admin/prices/cancel',
    who: 'admin',
    fresh: true,
    summary: 'Takes a price back that does not hold yet',
    input: z.object({ gpu_type: gpuType, holds_from: timestamp, reason }),
    output: pricedRow,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  sellCards: operation({
    id: 'sellCards',
    method: 'POST',
    path: '/v1/admin/prices/cards',
    who: 'admin',
    fresh: true,
    summary: 'Sells cards that were seen and have no price, as a new type of GPU from now on',
    input: z.object({
      ...newPrice,
      /** As the host tells it. */
      model: z.string().check(z.minLength(1), z.maxLength(200)),
      /** What customers read. */
      name: z.string().check(z.maxLength(40), z.regex(/^\S(.*\S)?$/)),
      /** What one card comes with. */
      vcpus: z.int().check(z.minimum(1), z.maximum(1024)),
      ram_gb: z.int().check(z.minimum(1), z.maximum(16384)),
      reason,
    }),
    output: pricedRow,
    status: 201,
    errors: ['not_found', 'invalid_state'],
  }),
}

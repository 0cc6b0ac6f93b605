/** What a wallet paid for, month by month (UTC): numbered, and never changed again. */
import * as z from 'zod/mini'
import { id, operation, page, paging, timestamp, usd } from './operation.ts'

/** A credit note gives back what an earlier invoice charged. */
export const invoiceKinds = ['invoice', 'credit_note'] as const
export const invoiceStatuses = ['paid', 'credited'] as const

const month = z.string().check(z.regex(/^[0-9]{4}-(0[1-9]|1[0-2])$/))

const head = {
  id,
  number: z.string(),
  month,
  kind: z.enum(invoiceKinds),
  /** To the cent. Of a credit note negative. */
  total: usd,
  /** Everything is paid from the wallet before it runs; what a credit note gives back is in the wallet already. */
  status: z.enum(invoiceStatuses),
  issued_at: timestamp,
}
export const invoiceHead = z.object(head)
export type InvoiceHead = z.infer<typeof invoiceHead>

export const maxCustomerText = 120
export const maxCustomerAddress = 400
const customerText = z.string().check(z.maxLength(maxCustomerText))
const customerFields = {
  /** A person's or a company's. */
  name: customerText,
  /** In lines, the country in the last. */
  address: z.string().check(z.maxLength(maxCustomerAddress)),
  tax_number: customerText,
}
/** To whom invoices are written from now on. Empty: the name in the profile. */
export const invoiceCustomer = z.object(customerFields)
export type InvoiceCustomer = z.infer<typeof invoiceCustomer>

/** One thing at one price in one month: many charges may be one line. */
export const invoiceLine = z.object({
  kind: z.string(),
  /** The instance's name as it was when the invoice was written. */
  label: z.string(),
  words: z.string(),
  detail: z.nullable(z.string()),
  /** What it is about, if that costs money over time. */
  about: z.nullable(id),
  from: timestamp,
  to: timestamp,
  /** How long the wallet paid for it at that price: `amount / price_per_hour`. Null: it is no price by the hour. */
  hours: z.nullable(z.number()),
  price_per_hour: z.nullable(usd),
  amount: usd,
  /** How many lines of the bill it sums up. */
  charges: z.number(),
  /** Of a credit note: the number of the invoice that it gives back from. */
  corrects: z.nullable(z.string()),
})
export type InvoiceLine = z.infer<typeof invoiceLine>

export const invoice = z.object({
  ...head,
  seller: z.object({
    name: z.string(),
    address: z.array(z.string()),
    tax_number: z.string(),
    note: z.string(),
  }),
  customer: z.object({ ...customerFields, email: z.string() }),
  lines: z.array(invoiceLine),
  /** The sum of the lines. */
  subtotal: usd,
  /** What the total differs from it by. */
  rounding: usd,
  /** Prices include it: so much of the total is tax. */
  tax: z.nullable(z.object({ name: z.string(), percent: z.number(), amount: usd })),
  /** The wallet over the same time; on no credit note. Money that comes in is not charged. */
  wallet: z.nullable(
    z.object({
      opening: usd,
      paid_in: usd,
      /** Of this invoice and of the credit note beside it. */
      charged: usd,
      /** Credits, and what was set aside or paid out. */
      other: usd,
      closing: usd,
    }),
  ),
})
export type Invoice = z.infer<typeof invoice>

export const invoices = {
  list: operation({
    id: 'listInvoices',
    method: 'GET',
    path: '/v1/invoices',
    who: 'user',
    summary: 'Your invoices and credit notes, newest first',
    input: z.object(paging),
    output: page(invoiceHead),
    status: 200,
    errors: [],
  }),
  issue: operation({
    id: 'issueInvoice',
    method: 'POST',
    path: '/v1/invoices',
    who: 'user',
    summary: 'Number the invoice of a month that is over at once, instead of within a day',
    input: z.object({ month }),
    output: z.object({
      /** What that month has: an invoice, a credit note, both, or nothing. */
      items: z.array(invoiceHead),
    }),
    status: 200,
    errors: ['invalid_state'],
  }),
  open: operation({
    id: 'getOpenInvoices',
    method: 'GET',
    path: '/v1/invoices/open',
    who: 'user',
    summary: 'Months without an invoice yet, and what is on them so far; this month up to now',
    input: z.object({}),
    output: z.object({
      items: z.array(
        z.object({
          month,
          /** What runs now included. */
          so_far: usd,
          is_over: z.boolean(),
        }),
      ),
    }),
    status: 200,
    errors: [],
  }),
  customer: operation({
    id: 'getInvoiceCustomer',
    method: 'GET',
    path: '/v1/invoices/customer',
    who: 'user',
    summary: 'The name, address and tax number that your invoices are written to',
    input: z.object({}),
    output: invoiceCustomer,
    status: 200,
    errors: [],
  }),
  setCustomer: operation({
    id: 'setInvoiceCustomer',
    method: 'PUT',
    path: '/v1/invoices/customer',
    who: 'user',
    summary: 'Set them, for invoices from now on',
    input: z.object(customerFields),
    output: invoiceCustomer,
    status: 200,
    errors: [],
  }),
  get: operation({
    id: 'getInvoice',
    method: 'GET',
    path: '/v1/invoices/{id}',
    who: 'user',
    summary: 'One invoice with its lines',
    input: z.object({ id }),
    output: invoice,
    status: 200,
    errors: ['not_found'],
  }),
  pdf: operation({
    id: 'getInvoicePdf',
    method: 'GET',
    path: '/v1/invoices/{id}/pdf',
    who: 'user',
    summary: 'The same as a PDF',
    input: z.object({ id }),
    transport: 'bytes',
    mediaTypes: ['application/pdf'],
    status: 200,
    errors: ['not_found'],
  }),
}

/** What came in on the chain, as operators see and decide it, and corrections of a wallet by hand. */
import * as z from 'zod/mini'
import { depositReasons } from './wallet.ts'
import { id, maxSearchText, operation, page, paging, timestamp, usd } from './operation.ts'

export const paymentStatuses = ['pending', 'confirmed', 'failed'] as const
/** What a list of payments shows of one that is approved; the true count stands beside it. */
export const approvedConfirmations = 12
/** Letters of the words that a customer reads about a correction. */
export const maxReason = 250

export const payment = z.object({
  id,
  user_id: id,
  /** Null: the account is deleted. */
  user_email: z.nullable(z.string()),
  chain: z.string(),
  status: z.enum(paymentStatuses),
  /** 12 once it is approved. */
  confirmations: z.int(),
  /** Blocks that were counted on top of it. */
  confirmations_seen: z.int(),
  tx_hash: z.string(),
  /** Where the chain has it. */
  block_number: z.int(),
  from_address: z.string(),
  to_address: z.string(),
  amount_usd: usd,
  amount_usdt: usd,
  /** Who decides waits for nothing else: only then it can be approved or rejected. */
  can_decide: z.boolean(),
  /** Why it is pending or failed; `arriving`: it is not final yet; `account_deleted`: it is to be sent back. */
  reason: z.nullable(z.enum([...depositReasons, 'arriving', 'account_deleted'])),
  /** What whoever rejected it wrote. */
  note: z.nullable(z.string()),
  created_at: timestamp,
  updated_at: timestamp,
})
export type Payment = z.infer<typeof payment>

const amount = z.string().check(z.regex(/^[0-9]{1,9}(\.[0-9]{1,6})?$/))
const words = z.string().check(z.minLength(1), z.maxLength(maxReason))
const correction = {
  method: 'POST',
  who: 'admin',
  fresh: true,
  /** `id` is the user's. The reason stands on their bill. */
  input: z.object({ id, amount, reason: words }),
  output: z.object({ user_id: id, balance_usd: usd }),
  status: 200,
} as const

const filter = {
  status: z.optional(z.enum(paymentStatuses)),
  /** Those that wait for a decision, or the others. */
  can_decide: z.optional(z.boolean()),
  /** How a transaction’s hash or an id begins, its own or the user’s, or part of the user’s e-mail address. */
  search: z.optional(z.string().check(z.maxLength(maxSearchText))),
  user_id: z.optional(id),
}

export const payments = {
  list: operation({
    id: 'listPayments',
    method: 'GET',
    path: '/v1/admin/payments',
    who: 'admin',
    summary: 'Every transfer to a deposit address, newest first',
    input: z.object({ ...paging, ...filter }),
    output: page(payment),
    status: 200,
    errors: [],
  }),
  export: operation({
    id: 'exportPayments',
    method: 'GET',
    path: '/v1/admin/payments/export',
    who: 'admin',
    summary: 'Every transfer to a deposit address that matches, as a spreadsheet',
    input: z.object(filter),
    transport: 'bytes',
    mediaTypes: ['text/csv'],
    status: 200,
    errors: [],
  }),
  approve: operation({
    id: 'approvePayment',
    method: 'POST',
    path: '/v1/admin/payments/{id}/approve',
    who: 'admin',
    fresh: true,
    summary: 'Credits a transfer that is held for a decision, once',
    input: z.object({ id, reason: z.optional(words) }),
    output: payment,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  reject: operation({
    id: 'rejectPayment',
    method: 'POST',
    path: '/v1/admin/payments/{id}/reject',
    who: 'admin',
    fresh: true,
    summary: 'Decides that a held transfer is never credited',
    input: z.object({ id, reason: words }),
    output: payment,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  credit: operation({
    ...correction,
    id: 'creditWallet',
    path: '/v1/admin/users/{id}/credit',
    summary: 'Gives a user money that they can spend and not withdraw',
    errors: ['not_found'],
  }),
  debit: operation({
    ...correction,
    id: 'debitWallet',
    path: '/v1/admin/users/{id}/debit',
    summary: 'Takes money from a user’s wallet, at most what is there',
    errors: ['not_found', 'insufficient_funds'],
  }),
}

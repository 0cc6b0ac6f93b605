/** Unspent money, back to its owner: asked for, set aside, sent by hand, and paid once the chain shows the transfer. */
import * as z from 'zod/mini'
import { id, nothing, operation, page, paging, timestamp, usd } from './operation.ts'

/**
 * `waiting`: its owner may cancel it. `sending`: an operator has it in hand. `paid`: the transfer is final. The last two:
 * the money is back in the wallet.
 */
export const withdrawalStates = ['waiting', 'sending', 'paid', 'cancelled', 'refused'] as const
export type WithdrawalState = (typeof withdrawalStates)[number]

export const minimumWithdrawal = '10'
/** Requests of one account in a day, cancelled ones too: each sends a mail. */
export const mostWithdrawalsADay = 5
/** Between the change of anything that lets somebody in, or of the address, and the earliest transfer. */
export const withdrawalWaitHours = 24
/** Where the link in the mail leads. */
export const cancelWithdrawalPath = '/cancel-withdrawal'

const transferAddress = z.string().check(z.regex(/^\s*T[1-9A-HJ-NP-Za-km-z]{33}\s*$/))
const amount = z.string().check(z.regex(/^[0-9]{1,9}(\.[0-9]{1,6})?$/))

export const withdrawal = z.object({
  id,
  amount_usdt: usd,
  /** Where it goes, as people read it. */
  address: z.string(),
  status: z.enum(withdrawalStates),
  /** Why it was refused. */
  reason: z.nullable(z.string()),
  asked_at: timestamp,
  /** Before then nobody sends it; null: it is over. */
  payable_at: z.nullable(timestamp),
  tx_hash: z.nullable(z.string()),
})
export type Withdrawal = z.infer<typeof withdrawal>

/** One line of the operator's queue: a withdrawal, or what a deleted account is owed. */
export const payout = z.object({
  ...withdrawal.shape,
  kind: z.enum(['withdrawal', 'refund']),
  user_id: id,
  /** Null: the account is deleted. */
  user_email: z.nullable(z.string()),
  /** Null: a former customer has not said where to. */
  address: z.nullable(z.string()),
  /** Whom to ask; only of a refund, where it is known. */
  contact: z.nullable(z.string()),
})
export type Payout = z.infer<typeof payout>

export const withdrawals = {
  list: operation({
    id: 'listWithdrawals',
    method: 'GET',
    path: '/v1/withdrawals',
    who: 'user',
    summary: 'What you asked to have back, newest first',
    input: z.object(paging),
    output: page(withdrawal),
    status: 200,
    errors: [],
  }),
  terms: operation({
    id: 'getWithdrawalTerms',
    method: 'GET',
    path: '/v1/withdrawals/terms',
    who: 'session',
    summary: 'How much you may withdraw now, and what it takes',
    input: nothing,
    output: z.object({
      /** The operator pays out here. */
      is_offered: z.boolean(),
      /** At most what you deposited, less what was spent and withdrawn; ten minutes of what runs stay. */
      withdrawable: usd,
      minimum_usdt: usd,
      /** Of a request made now to an address that was not paid to before. */
      payable_at: timestamp,
      /** What has to be shown; null: a second factor just was. */
      proof: z.nullable(z.enum(['password', 'factor'])),
    }),
    status: 200,
    errors: [],
  }),
  request: operation({
    id: 'requestWithdrawal',
    method: 'POST',
    path: '/v1/withdrawals',
    who: 'session',
    summary: 'Sets an amount aside to be sent to a TRON address of yours. One at a time',
    transaction: false,
    input: z.object({
      /** In USDT. Exactly this arrives. */
      amount,
      address: transferAddress,
      /** Where no second factor is enrolled. */
      password: z.optional(z.string().check(z.maxLength(1024))),
    }),
    output: withdrawal,
    status: 201,
    errors: ['insufficient_funds', 'invalid_state', 'mfa_required'],
  }),
  cancelByLink: operation({
    id: 'cancelWithdrawalByLink',
    method: 'POST',
    path: '/v1/withdrawals/cancel',
    who: 'public',
    duringMaintenance: true,
    summary: 'Cancels the withdrawal that a mail told of, with the token in its link',
    input: z.object({ token: z.string().check(z.minLength(1), z.maxLength(100)) }),
    output: z.object({ status: z.enum(withdrawalStates), amount_usdt: usd }),
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  cancel: operation({
    id: 'cancelWithdrawal',
    method: 'POST',
    path: '/v1/withdrawals/{id}/cancel',
    who: 'session',
    duringMaintenance: true,
    summary: 'Puts the money back into your wallet, unless it is being sent',
    input: z.object({ id }),
    output: withdrawal,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  queue: operation({
    id: 'listPayouts',
    method: 'GET',
    path: '/v1/admin/withdrawals',
    who: 'admin',
    summary: 'Withdrawals and refunds of deleted accounts that are to be sent, oldest first',
    input: z.object({
      ...paging,
      /** `done`: paid, cancelled or refused, the newest first. */
      state: z._default(z.enum(['open', 'done']), 'open'),
    }),
    output: page(payout),
    status: 200,
    errors: [],
  }),
  take: operation({
    id: 'takePayout',
    method: 'POST',
    path: '/v1/admin/withdrawals/{id}/take',
    who: 'admin',
    fresh: true,
    summary:
      'You send it now: its owner cannot cancel it any more. It is paid when the transfer is seen on the chain',
    input: z.object({ id }),
    output: payout,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  refuse: operation({
    id: 'refuseWithdrawal',
    method: 'POST',
    path: '/v1/admin/withdrawals/{id}/refuse',
    who: 'admin',
    fresh: true,
    summary: 'Puts the money back into its owner’s wallet, with a reason that they read',
    input: z.object({ id, reason: z.string().check(z.minLength(1), z.maxLength(300)) }),
    output: payout,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
  setRefundAddress: operation({
    id: 'setRefundAddress',
    method: 'PUT',
    path: '/v1/admin/withdrawals/{id}/address',
    who: 'admin',
    fresh: true,
    summary: 'Where a former customer wants their refund, until it is being sent',
    input: z.object({ id, address: transferAddress }),
    output: payout,
    status: 200,
    errors: ['not_found', 'invalid_state'],
  }),
}

/** The prepaid wallet: balance, where to send USDT, and what became of a transfer. */
import * as z from 'zod/mini'
import { type Micro, parseUsd } from './money.ts'
import { id, nothing, operation, page, paging, timestamp, usd } from './operation.ts'

export const balanceLevels = ['good', 'low', 'empty'] as const
export type BalanceLevel = (typeof balanceLevels)[number]
export const balanceThresholds = { good: '100', low: '20' } as const
export const minimumDepositUsdt = '10'
/** The credit that a first deposit of at least as much brings, while the operator gives it. */
export const creditUsd = '10'
/** What the sender's wallet typically pays the network, about double to an address that never held USDT; we charge nothing. */
export const networkFeeNote = 'about $1 (may be higher)'

/** 100 or more: good. 20 up to under 100: low. Under 20: empty. */
export function balanceLevel(balance: Micro): BalanceLevel {
  if (balance >= parseUsd(balanceThresholds.good)) return 'good'
  return balance >= parseUsd(balanceThresholds.low) ? 'low' : 'empty'
}

export const wallet = z.object({
  user_id: id,
  /** Balance less what running instances have used since the last settlement. Never negative. */
  balance_usd: usd,
  level: z.enum(balanceLevels),
  /** What running costs per hour, without instances in an upfront term. Prepaid hours pay their part first. */
  spending_per_hour: usd,
  /** The part of it that draws on the balance now: instances inside their prepaid hour do not. */
  drawing_per_hour: usd,
  /** When prepaid hours and balance together are used up at this rate; null when nothing will draw on the balance. */
  empty_at: z.nullable(timestamp),
  /**
   * Ten minutes of everything that runs or is starting, beyond what is prepaid for it. A start, and a deploy that starts,
   * leaves this much in the wallet.
   */
  start_reserve: usd,
  /** What was given, less what it has paid: used before the balance, which it is not part of, and never paid out. */
  credit: z.nullable(z.object({ amount_usd: usd, ends_at: timestamp })),
  /** The chain that deposits arrive on, in the words every wallet screen shows. */
  network_name: z.string(),
  is_test_network: z.boolean(),
})
export type Wallet = z.infer<typeof wallet>

/** Field names are the specification's own. */
export const usdtConfig = z.object({
  networkName: z.string(),
  walletAddress: z.string(),
  /** On a test network the screens say so and a faucet exists. */
  isTestNetwork: z.boolean(),
  minimumUsdt: usd,
  /** How far the service is behind the network, while that is worth telling: until it has caught up nothing is credited. */
  delayedMinutes: z.nullable(z.int()),
  /** What your next deposit of that much brings with it, and for how many days; null: none is given, or you had it. */
  credit: z.nullable(z.object({ amountUsd: usd, minimumUsdt: usd, days: z.int() })),
})
export type UsdtConfig = z.infer<typeof usdtConfig>

/** The error of a transfer that was asked about before. Clients know the case by this text: there is no code for it. */
export const alreadyProcessed = 'Transaction already processed'

export const depositStatuses = ['pending', 'confirmed', 'held', 'failed'] as const
/**
 * Why it is held or failed. `review`: it is so large that a person looks at it first; `rejected`: that person did not accept
 * it; `dropped`: its block was replaced before it was final.
 */
export const depositReasons = ['below_minimum', 'review', 'rejected', 'dropped'] as const
export const deposit = z.object({
  id,
  tx_hash: z.string(),
  amount_usdt: usd,
  status: z.enum(depositStatuses),
  reason: z.nullable(z.enum(depositReasons)),
  /** Blocks on top of it, and how many make it final. */
  confirmations: z.int(),
  confirmations_needed: z.int(),
  created_at: timestamp,
})
export type Deposit = z.infer<typeof deposit>

export const wallets = {
  get: operation({
    id: 'get_or_create_wallet',
    method: 'GET',
    path: '/v1/wallet',
    who: 'user',
    actable: true,
    summary: 'Your wallet; it is created when there is none',
    input: nothing,
    output: wallet,
    status: 200,
    errors: ['wallet_not_created'],
  }),
  usdtConfig: operation({
    id: 'get-usdt-config',
    method: 'GET',
    path: '/v1/wallet/usdt-config',
    who: 'user',
    summary: 'The network and your own deposit address on it',
    input: nothing,
    output: usdtConfig,
    status: 200,
    errors: ['unavailable'],
  }),
  verifyUsdtPayment: operation({
    id: 'verify-usdt-payment',
    method: 'POST',
    path: '/v1/wallet/verify-usdt-payment',
    who: 'user',
    summary: 'What became of a transfer to your address. A look-up only: transfers are credited without it',
    transaction: false,
    input: z.object({
      txHash: z.string().check(z.regex(/^\s*(0x)?[0-9a-fA-F]{64}\s*$/)),
      chain: z.literal('TRC20'),
      /** The amount the customer believes was sent. The amount that arrived is credited. */
      amount: z.number().check(z.minimum(0), z.maximum(1_000_000_000)),
    }),
    output: z.object({
      success: z.boolean(),
      status: z.nullable(z.enum(depositStatuses)),
      actualAmount: z.nullable(z.number()),
      error: z.nullable(z.string()),
    }),
    status: 200,
    errors: ['unavailable'],
  }),
  deposits: operation({
    id: 'listDeposits',
    method: 'GET',
    path: '/v1/wallet/deposits',
    who: 'user',
    summary: 'Transfers seen at your address, newest first, those still arriving included',
    input: z.object(paging),
    output: page(deposit),
    status: 200,
    errors: [],
  }),
}

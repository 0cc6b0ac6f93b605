/** Amounts to deposit: what may be entered (dollars and cents, from the minimum on), and what a price asks for. */
import { formatUsd, MICRO_PER_USD, type Micro, parseUsd } from '@ingot/contracts/money'
import { minimumDepositUsdt } from '@ingot/contracts/wallet'

export const minimumWords = `Minimum deposit is $${minimumDepositUsdt} USDT`
const most = 1_000_000n * MICRO_PER_USD

export interface Amount {
  /** Null while it cannot be deposited. */
  readonly micro: Micro | null
  /** Why not, in words for the field; null for an empty one, which is not wrong yet. */
  readonly problem: string | null
}

export function readAmount(text: string): Amount {
  const typed = text.trim()
  if (typed === '') return { micro: null, problem: null }
  if (!/^\d{1,9}(\.\d{0,2})?$/.test(typed))
    return { micro: null, problem: 'Write an amount with at most two decimals, such as 25.50' }
  const micro = parseUsd(typed.replace(/\.$/, ''))
  if (micro < parseUsd(minimumDepositUsdt)) return { micro: null, problem: minimumWords }
  if (micro > most) return { micro: null, problem: 'At most 1,000,000 USDT at a time' }
  return { micro, problem: null }
}

/** Without idle zeros: `25.00` → `25`. */
export const shortAmount = (text: string): string => text.trim().replace(/\.0*$/, '')

/** What to deposit: the shortfall up to the next cent, and at least the smallest deposit. */
export function depositFor(
  total: Micro,
  balance: Micro,
  minimum: Micro,
): { shortfall: Micro; deposit: Micro } {
  const shortfall = total > balance ? total - balance : 0n
  const cents = ((shortfall + 9_999n) / 10_000n) * 10_000n
  return { shortfall, deposit: cents > minimum ? cents : minimum }
}

/** What the deposit dialog begins with where a charge of `total` needs more than there is: `25.01`. */
export const missingFor = (total: Micro, funds: Micro): string =>
  formatUsd(depositFor(total, funds, parseUsd(minimumDepositUsdt)).deposit).slice(0, -4)

/** What may be entered as an amount to deposit: dollars and cents, from the minimum on. */
import { MICRO_PER_USD, type Micro, parseUsd } from '@ingot/contracts/money'
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

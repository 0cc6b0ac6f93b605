/** What the deploy screen says about a price: how long the balance lasts. */
import type { BillingPeriod, Price } from '@ingot/contracts/catalog'
import type { Micro } from '@ingot/contracts/money'

/**
 * How long the balance lasts with this instance beside what runs already, in ms; null when nothing would draw on it.
 * The first hour is paid by the deploy charge; an upfront term as a whole.
 */
export function balanceLastsMs(
  balance: Micro,
  spendingPerHour: Micro,
  price: Pick<Price, 'hourly' | 'total'>,
  period: BillingPeriod,
): number | null {
  const rate = period === 'hourly' ? spendingPerHour + price.hourly : spendingPerHour
  // Hourly, the charge itself is the first hour of use: the whole balance goes by the rate.
  const left = period === 'hourly' ? balance : balance - price.total
  if (rate <= 0n) return null
  return left <= 0n ? 0 : Number((left * 3_600_000n) / rate)
}

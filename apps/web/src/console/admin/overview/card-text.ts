/** The six figures in words. */
import type { AdminOverview } from '@ingot/contracts/admin/overview'
import { formatCount, formatGb, formatMoney } from '../../../ui/format.ts'
import { parseUsd } from '@ingot/contracts/money'

/** `41 min`, `5 h`, `3 d`. */
export function ageText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000))
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h` : `${formatCount(Math.floor(hours / 24))} d`
}

/** From a thousand dollars on the cents are left out. */
export function roughUsd(usd: string): string {
  const micro = parseUsd(usd)
  const size = micro < 0n ? -micro : micro
  if (size < 1_000_000_000n) return formatMoney(usd)
  return `${micro < 0n ? '−' : ''}$${formatCount(Number((size + 500_000n) / 1_000_000n))}`
}

/** `61.2 of 80 TB sold`. */
export function soldText({ sold_gb, capacity_gb }: AdminOverview['volumes']): string {
  if (capacity_gb === null) return `${formatGb(tenths(sold_gb))} sold`
  if (capacity_gb < 1000) return `${formatCount(sold_gb)} of ${formatCount(capacity_gb)} GB sold`
  return `${tenths(sold_gb) / 1000} of ${tenths(capacity_gb) / 1000} TB sold`
}
/** Of a terabyte. */
const tenths = (gb: number): number => (gb < 1000 ? gb : Math.round(gb / 100) * 100)

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })
export const clockUtc = (at: string): string => clock.format(new Date(at))

/** `Total Users, last 30 days: from 1,190 to 1,284, at most 1,284, now 1,284`. */
export function wayText(
  label: string,
  values: readonly number[],
  format: (value: number) => string = formatCount,
): string {
  if (values.length === 0) return `${label}: no days yet`
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return `${label}, last ${values.length} days: ${format(least)} to ${format(most)}, now ${format(values.at(-1)!)}`
}

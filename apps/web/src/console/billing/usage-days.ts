/** What the chart of usage draws: every day of the span, and its parts as series that mean the same on each day. */
import type { UsageRow } from '@ingot/contracts/billing'
import { formatUsd, parseUsd } from '@ingot/contracts/money'

/** Named series; what is left is one more. */
const mostSeries = 3

export interface Series {
  /** Null: all that are not named. */
  readonly key: string | null
  readonly label: string
  readonly amount: string
}

export interface UsageDay {
  readonly day: string
  readonly amount: string
  /** One for each series. */
  readonly amounts: readonly string[]
}

const dayMs = 86_400_000

export function usageDays(
  items: readonly UsageRow[],
  from: string,
  to: string,
): { readonly series: readonly Series[]; readonly days: readonly UsageDay[] } {
  const parts = items.flatMap(item => item.parts)
  const sums = [...Map.groupBy(parts, ({ key }) => key)].map(([key, all]) => ({
    key,
    label: all[0]!.label,
    micro: all.reduce((sum, { amount }) => sum + parseUsd(amount), 0n),
  }))
  const dearest = sums
    .filter(({ key }) => key !== null)
    .toSorted((a, b) => (a.micro < b.micro ? 1 : a.micro > b.micro ? -1 : 0))
  const named = dearest.slice(0, dearest.length > mostSeries ? mostSeries - 1 : mostSeries)
  const left = sums.filter(each => !named.includes(each))
  const series: Series[] = [
    ...named.map(({ key, label, micro }) => ({ key, label, amount: formatUsd(micro) })),
    ...(left.length > 0
      ? [{ key: null, label: 'Others', amount: formatUsd(left.reduce((sum, { micro }) => sum + micro, 0n)) }]
      : []),
  ]
  const names = new Set(named.map(({ key }) => key))
  const byDay = new Map(items.map(item => [item.key, item]))
  const days: UsageDay[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += dayMs) {
    const day = new Date(at).toISOString().slice(0, 10)
    const item = byDay.get(day)
    const amounts = series.map(({ key }) => {
      const own = (item?.parts ?? []).filter(part => (key === null ? !names.has(part.key) : part.key === key))
      return formatUsd(own.reduce((sum, { amount }) => sum + parseUsd(amount), 0n))
    })
    days.push({ day, amount: item?.amount ?? '0.000000', amounts })
  }
  return { series, days }
}

/** Of the days before the last one, which is not over. Null where there is none. */
export function meanOf(days: readonly UsageDay[]): string | null {
  const over = days.slice(0, -1)
  if (over.length === 0) return null
  return formatUsd(over.reduce((sum, { amount }) => sum + parseUsd(amount), 0n) / BigInt(over.length))
}

/** `2026-11` and the eleven months before, the latest first. */
export function lastMonths(month: string): string[] {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return Array.from({ length: 12 }, (_, back) =>
    new Date(Date.UTC(year, number - 1 - back, 1)).toISOString().slice(0, 7),
  )
}

/** `2026-11` → `2026-11-30`. */
export const lastDayOf = (month: string): string => {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10)
}

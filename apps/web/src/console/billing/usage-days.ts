/** What the chart of usage draws: every day of the span, and its parts as series that mean the same on each day. */
import type { UsageRow } from '@ingot/contracts/billing'
import { formatUsd, parseUsd } from '@ingot/contracts/money'

/** Named series; what is left is one more, and so is storage. */
const mostSeries = 3
/** Kinds of meter that have no GPU: grey in every chart, and one series. */
const storageKinds: readonly (string | null)[] = ['volume', 'snapshot']
const storageKey = 'storage'
/** Where what is drawn in solid grey stands among the fills of a bar. */
const greyPlace = 3

export interface Series {
  /** Null: all that are not named. */
  readonly key: string | null
  readonly label: string
  readonly amount: string
  /** How it is drawn. */
  readonly place: number
}

export interface UsageDay {
  readonly day: string
  readonly amount: string
  /** One for each series. */
  readonly amounts: readonly string[]
}

const dayMs = 86_400_000

const keyOf = (key: string | null): string | null => (storageKinds.includes(key) ? storageKey : key)

export function usageDays(
  items: readonly UsageRow[],
  from: string,
  to: string,
): { readonly series: readonly Series[]; readonly days: readonly UsageDay[] } {
  const parts = items.flatMap(item => item.parts)
  const sums = [...Map.groupBy(parts, ({ key }) => keyOf(key))].map(([key, all]) => ({
    key,
    label: key === storageKey ? 'Storage' : all[0]!.label,
    micro: all.reduce((sum, { amount }) => sum + parseUsd(amount), 0n),
  }))
  const storage = sums.filter(({ key }) => key === storageKey)
  const dearest = sums
    .filter(({ key }) => key !== null && key !== storageKey)
    .toSorted((a, b) => (a.micro < b.micro ? 1 : a.micro > b.micro ? -1 : 0))
  const isMore = dearest.length > mostSeries || (storage.length > 0 && sums.some(({ key }) => key === null))
  const named = dearest.slice(0, isMore ? mostSeries - 1 : mostSeries)
  const left = sums.filter(each => !named.includes(each) && !storage.includes(each))
  // Grey is storage, and where there is none what is left.
  const series: Series[] = [
    ...named.map((each, place) => seriesOf(each, place)),
    ...(left.length > 0
      ? [
          seriesOf(
            { key: null, label: 'Others', micro: left.reduce((sum, { micro }) => sum + micro, 0n) },
            storage.length > 0 ? mostSeries - 1 : greyPlace,
          ),
        ]
      : []),
    ...storage.map(each => seriesOf(each, greyPlace)),
  ]
  const names = new Set(series.map(({ key }) => key))
  const byDay = new Map(items.map(item => [item.key, item]))
  const days: UsageDay[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += dayMs) {
    const day = new Date(at).toISOString().slice(0, 10)
    const item = byDay.get(day)
    const amounts = series.map(({ key }) => {
      const own = (item?.parts ?? []).filter(part => {
        const name = keyOf(part.key)
        return key === null ? name === null || !names.has(name) : name === key
      })
      return formatUsd(own.reduce((sum, { amount }) => sum + parseUsd(amount), 0n))
    })
    days.push({ day, amount: item?.amount ?? '0.000000', amounts })
  }
  return { series, days }
}

const seriesOf = (
  { key, label, micro }: { readonly key: string | null; readonly label: string; readonly micro: bigint },
  place: number,
): Series => ({ key, label, amount: formatUsd(micro), place })

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

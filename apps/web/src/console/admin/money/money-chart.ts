/** What the charts of money are drawn by. Amounts are numbers here because they become lengths; none is shown as it is. */
import type { MoneyDay } from '@ingot/contracts/admin/business'
import { formatMoney } from '../../../ui/format.ts'

export interface Scale {
  readonly from: number
  readonly to: number
  readonly ticks: readonly number[]
}

/** 1, 2, 2.5 or 5 times a power of ten. */
function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough))
  return power * ([1, 2, 2.5, 5].find(times => times * power >= rough) ?? 10)
}

/** About three steps. What is far from zero does not begin there: two lines that lie close are told apart then. */
export function scaleOf(values: readonly number[], fromZero: boolean): Scale {
  const most = Math.max(0, ...values)
  const least = fromZero ? Math.min(0, ...values) : Math.min(...values)
  const isFar = !fromZero && least > 0 && (most - least) * 2 < most
  const bottom = isFar ? least : Math.min(0, least)
  const step = niceStep((most - bottom || most || 1) / 3)
  const from = Math.floor(bottom / step) * step
  const to = Math.max(from + step, Math.ceil(most / step) * step)
  const count = Math.round((to - from) / step)
  return { from, to, ticks: Array.from({ length: count + 1 }, (_, n) => from + n * step) }
}

/** From the top, in percent of the height. */
export const yOf = (value: number, { from, to }: Scale): number => (1 - (value - from) / (to - from)) * 100

export function shortMoney(usd: number): string {
  const size = Math.abs(usd)
  if (size >= 1_000_000) return `$${trim(usd / 1_000_000)}M`
  if (size >= 10_000) return `$${trim(usd / 1000)}k`
  return formatMoney(usd.toFixed(size > 0 && size < 10 ? 2 : 0), { wholeDollars: size === 0 || size >= 10 })
}
const trim = (value: number): string => String(Math.round(value * 100) / 100)

/** Since when less is held than is owed; null: it is not. */
export function uncoveredSince(days: readonly MoneyDay[]): string | null {
  const isShort = ({ held, owed }: MoneyDay) => Number(held) < Number(owed)
  const covered = days.findLastIndex(day => !isShort(day))
  return days[covered + 1]?.day ?? null
}

/** Two lines over the days as one closed shape, and each by itself, in a box of one unit a day and 100 high. */
export function shapeOf(days: readonly MoneyDay[], scale: Scale) {
  const line = (name: 'held' | 'owed') =>
    days.map((day, n) => `${n + 0.5} ${yOf(Number(day[name]), scale).toFixed(2)}`)
  const [held, owed] = [line('held'), line('owed')]
  return {
    held: `M${held.join('L')}`,
    owed: `M${owed.join('L')}`,
    between: `M${held.join('L')}L${owed.toReversed().join('L')}Z`,
  }
}

export const dayText = (day: string): string =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(day))

/** Days whose words have room: about one of seven of a month. */
export function axisDays(days: readonly MoneyDay[]): { readonly at: number; readonly text: string }[] {
  const every = Math.max(1, Math.ceil(days.length / 5))
  return days.flatMap(({ day }, n) =>
    n % every === 0 && n <= days.length - 1 - every / 2 ? [{ at: n, text: dayText(day) }] : [],
  )
}

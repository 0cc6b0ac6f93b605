/** Spending of days or hours as four parts: the two dearest GPUs by name, the other GPUs, and storage. */
import type { UsageRow } from '@ingot/contracts/billing'
import { type Micro, formatUsd, parseUsd } from '@ingot/contracts/money'
import { clockText, dayMs, dayText, hourMs, weekdayText } from './times.ts'

/** Kinds of meter that are no GPU. */
const storageKinds: readonly (string | null)[] = ['volume', 'snapshot']
const named = 2
export const partCount = 4

export interface Spend {
  /** When it began. */
  readonly at: number
  readonly amount: string
  /** One for each part. */
  readonly parts: readonly string[]
}

export interface SpendParts {
  /** Names and sums of those that cost anything; the place says how they are drawn. */
  readonly parts: readonly { readonly place: number; readonly label: string; readonly amount: string }[]
  readonly spends: readonly Spend[]
}

const sum = (amounts: readonly string[]): Micro => amounts.reduce((all, each) => all + parseUsd(each), 0n)

/** Of each day or hour from `from` up to the one of `now`; what no answer tells of cost nothing. */
export function spendOf(
  items: readonly UsageRow[],
  by: 'day' | 'hour',
  from: number,
  now: number,
): SpendParts {
  const all = items.filter(({ key }) => Date.parse(key) >= from).flatMap(({ parts }) => parts)
  const gpus = [...Map.groupBy(all, ({ key }) => key)]
    .filter(([key]) => key !== null && !storageKinds.includes(key))
    .map(([key, parts]) => ({ key, label: parts[0]!.label, micro: sum(parts.map(each => each.amount)) }))
    .toSorted((a, b) => (a.micro < b.micro ? 1 : a.micro > b.micro ? -1 : 0))
  // Three are as many names as two and the rest.
  const first = gpus.slice(0, named)
  const others = gpus.slice(named)
  const placeOf = (key: string | null) => {
    if (storageKinds.includes(key)) return 3
    const place = first.findIndex(each => each.key === key)
    return place < 0 ? named : place
  }
  const step = by === 'day' ? dayMs : hourMs
  const rows = new Map(items.map(item => [Date.parse(item.key), item]))
  const spends: Spend[] = []
  for (let at = from; at <= now; at += step) {
    const item = rows.get(at)
    spends.push({
      at,
      amount: item?.amount ?? '0.000000',
      parts: Array.from({ length: partCount }, (_, place) =>
        formatUsd(
          sum((item?.parts ?? []).filter(({ key }) => placeOf(key) === place).map(({ amount }) => amount)),
        ),
      ),
    })
  }
  const labels = [
    first[0]?.label ?? '',
    first[1]?.label ?? '',
    others.length === 1 && !all.some(({ key }) => key === null) ? others[0]!.label : 'Other GPUs',
    'Storage',
  ]
  return {
    spends,
    parts: labels
      .map((label, place) => ({
        place,
        label,
        amount: formatUsd(sum(spends.map(({ parts }) => parts[place]!))),
      }))
      .filter(({ amount }) => parseUsd(amount) > 0n),
  }
}

/** Of those before the last one, which is not over. Null where there is none. */
export function meanOf(spends: readonly Spend[]): string | null {
  const over = spends.slice(0, -1)
  return over.length === 0 ? null : formatUsd(sum(over.map(({ amount }) => amount)) / BigInt(over.length))
}

/** So far, and the rest of the time at the present rate; null where nothing runs. */
export function expectedOf(last: Spend, step: number, ratePerHour: string, now: number): string | null {
  const rate = parseUsd(ratePerHour)
  const left = BigInt(Math.max(0, last.at + step - Math.floor(now)))
  return rate === 0n || left === 0n ? null : formatUsd(parseUsd(last.amount) + (rate * left) / BigInt(hourMs))
}

/** `Tue 24 Nov`, or `09:00`. */
export const spendName = (by: 'day' | 'hour', at: number): string =>
  by === 'day' ? `${weekdayText(at)} ${dayText(at)}` : clockText(at)

/** The balance as a line: what it was, and where the present rate takes it. */
import type { BalanceHistory } from '@ingot/contracts/billing'
import { balanceThresholds } from '@ingot/contracts/wallet'
import { formatMoney, formatRate } from '../../ui/format.ts'
import { dateText, dayMs, dayText, hourMs } from './times.ts'

export interface BalanceNow {
  readonly now: number
  /** As on the wire. */
  readonly balance: string
  readonly ratePerHour: string
  /** Null: no end at this rate. */
  readonly emptyAt: number | null
}

interface Point {
  readonly at: number
  readonly usd: number
}

export interface BalanceShape {
  readonly from: number
  /** Where the axis ends. */
  readonly to: number
  readonly top: number
  readonly ticks: readonly number[]
  readonly past: readonly Point[]
  /** From now on: to the end, or to the edge where that is later. */
  readonly next: readonly [Point, Point]
  readonly isEndShown: boolean
  /** When the mail about a low balance goes; null: not before the edge. */
  readonly mail: Point | null
  readonly deposits: readonly Point[]
}

const mostAheadMs = 6 * dayMs
const mailUsd = Number(balanceThresholds.good)
const steps = [1, 2, 2.5, 5, 10]

/** Round values above the data, at most four of them above zero. */
export function scaleOf(most: number): number[] {
  const rough = Math.max(most, 1) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = steps.map(each => each * power).find(each => each >= rough)!
  const count = Math.max(1, Math.ceil(Math.max(most, 1) / step - 1e-9))
  return Array.from({ length: count + 1 }, (_, at) => at * step)
}

/** Amounts become numbers here, for places on a picture alone. */
export function balanceShape(
  { from, points, deposits }: BalanceHistory,
  { now, balance, emptyAt }: BalanceNow,
): BalanceShape {
  const start = Date.parse(from)
  const usd = Number(balance)
  // What was answered ends a moment ago; what the wallet says is now.
  const past = points
    .map(point => ({ at: Date.parse(point.at), usd: Number(point.balance) }))
    .filter(({ at }) => at < now)
    .concat({ at: now, usd })
  const ahead = emptyAt === null ? mostAheadMs : Math.min(mostAheadMs, Math.max(dayMs, (emptyAt - now) * 1.8))
  const to = now + ahead
  const isEndShown = emptyAt !== null && emptyAt <= to
  const slope = emptyAt === null || emptyAt <= now ? 0 : usd / (emptyAt - now)
  const end = isEndShown ? { at: emptyAt, usd: 0 } : { at: to, usd: usd - slope * ahead }
  const mailAt = slope > 0 && usd > mailUsd ? now + (usd - mailUsd) / slope : null
  const ticks = scaleOf(Math.max(...past.map(point => point.usd)))
  return {
    from: start,
    to,
    top: ticks.at(-1)!,
    ticks,
    past,
    next: [{ at: now, usd }, end],
    isEndShown,
    mail: mailAt === null || mailAt > to ? null : { at: mailAt, usd: mailUsd },
    deposits: deposits.map(({ at, amount }) => ({ at: Date.parse(at), usd: Number(amount) })),
  }
}

/** The whole picture in words. */
export function balanceSentence(
  { from, points, deposits }: BalanceHistory,
  { now, balance, ratePerHour, emptyAt }: BalanceNow,
): string {
  const usd = points.map(point => Number(point.balance))
  const text = (value: number) => formatMoney(value.toFixed(2))
  const range = usd.length ? ` between ${text(Math.min(...usd))} and ${text(Math.max(...usd))},` : ''
  const paid = deposits.length
    ? ` Deposits: ${deposits.map(({ at, amount }) => `${formatMoney(amount)} on ${dayText(Date.parse(at))}`).join(', ')}.`
    : ''
  const end =
    emptyAt === null
      ? 'No end at this rate.'
      : `At ${formatRate(ratePerHour)} per hour it is used up on ${dateText(emptyAt)} UTC.`
  return `Balance from ${dayText(Date.parse(from))} to ${dayText(now)}:${range} now ${formatMoney(balance)}.${paid} ${end}`
}

/** `warn` in the last day, `danger` in the last two hours. */
export const toneOf = ({ now, emptyAt }: BalanceNow): 'calm' | 'warn' | 'danger' =>
  emptyAt === null || emptyAt - now >= dayMs ? 'calm' : emptyAt - now >= 2 * hourMs ? 'warn' : 'danger'

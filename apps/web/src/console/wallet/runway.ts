/**
 * What the wallet holds at this moment and how long it lasts. The service answers a balance of one instant; from then
 * on what runs draws on it by the second, and so does the figure on the screen, until the next answer corrects it.
 */
import { type Micro, formatUsd, parseUsd } from '@ingot/contracts/money'
import type { Wallet } from '@ingot/contracts/wallet'
import { formatDate } from '../../ui/format.ts'

export interface Runway {
  readonly balance: Micro
  /** As on the wire. */
  readonly balanceUsd: string
  /** What was given and is left: used before the balance, which it is not part of. */
  readonly credit: Micro
  readonly creditEndsAt: number | null
  /** Balance and credit: what there is for a charge. */
  readonly funds: Micro
  /** Until it is empty at the present rate; null while nothing draws on it. */
  readonly leftMs: number | null
  /** When that is, and the time that it was worked out at. */
  readonly emptyAt: number | null
  readonly now: number
  readonly tone: 'calm' | 'warn' | 'danger'
}

const hourMs = 3_600_000n
const warnMs = 24 * Number(hourMs)
const dangerMs = 2 * Number(hourMs)

export function runwayOf(
  wallet: Pick<Wallet, 'balance_usd' | 'drawing_per_hour' | 'empty_at' | 'credit'>,
  fetchedAt: number,
  now: number,
): Runway {
  const perHour = parseUsd(wallet.drawing_per_hour)
  const elapsed = BigInt(Math.max(0, Math.floor(now - fetchedAt)))
  const used = (perHour * elapsed) / hourMs
  const creditEndsAt = wallet.credit && Date.parse(wallet.credit.ends_at)
  const given = wallet.credit && creditEndsAt! > now ? parseUsd(wallet.credit.amount_usd) : 0n
  const balance = least0(parseUsd(wallet.balance_usd) - least0(used - given))
  const credit = least0(given - used)
  const funds = balance + credit
  const leftMs = timeLeft(funds, perHour, wallet.empty_at, now)
  return {
    balance,
    balanceUsd: formatUsd(balance),
    credit,
    creditEndsAt,
    funds,
    leftMs,
    emptyAt: leftMs === null ? null : now + leftMs,
    now,
    tone: leftMs === null || leftMs >= warnMs ? 'calm' : leftMs >= dangerMs ? 'warn' : 'danger',
  }
}

const least0 = (micro: Micro): Micro => (micro > 0n ? micro : 0n)

/**
 * The service also knows what will begin to draw later (a prepaid hour that ends); the rate alone does not. The earlier
 * of the two is told.
 */
function timeLeft(funds: Micro, perHour: Micro, emptyAt: string | null, now: number): number | null {
  const byRate = perHour > 0n ? Number((funds * hourMs) / perHour) : null
  const byService = emptyAt === null ? null : Math.max(0, Date.parse(emptyAt) - now)
  if (byRate === null || byService === null) return byRate ?? byService
  return Math.min(byRate, byService)
}

/** `45 min`, `1 h 20 min`, `31 h`, `12 days`. */
export function formatLeft(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 3) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`
  return hours < 72 ? `${hours} h` : `${Math.floor(hours / 24)} days`
}

const weekday = (timeZone?: string) =>
  new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  })
const weekMs = 6 * 24 * 3_600_000

/** `Thu 14:32` within six days, so that the day's name says which one; then the date. */
export function formatUntil(at: Date, now: Date, timeZone?: string): string {
  if (at.getTime() - now.getTime() >= weekMs) return formatDate(at, timeZone)
  return weekday(timeZone).format(at).replace(',', '')
}

const when = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** `21 Nov 2026, 14:02 UTC`. */
export const formatWhen = (ms: number): string => `${when.format(ms)} UTC`

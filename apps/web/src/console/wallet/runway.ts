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
  wallet: Pick<Wallet, 'balance_usd' | 'drawing_per_hour' | 'empty_at'>,
  fetchedAt: number,
  now: number,
): Runway {
  const perHour = parseUsd(wallet.drawing_per_hour)
  const elapsed = BigInt(Math.max(0, Math.floor(now - fetchedAt)))
  const left = parseUsd(wallet.balance_usd) - (perHour * elapsed) / hourMs
  const balance = left > 0n ? left : 0n
  const leftMs = timeLeft(balance, perHour, wallet.empty_at, now)
  return {
    balance,
    balanceUsd: formatUsd(balance),
    leftMs,
    emptyAt: leftMs === null ? null : now + leftMs,
    now,
    tone: leftMs === null || leftMs >= warnMs ? 'calm' : leftMs >= dangerMs ? 'warn' : 'danger',
  }
}

/**
 * The service also knows what will begin to draw later (a prepaid hour that ends); the rate alone does not. The earlier
 * of the two is told.
 */
function timeLeft(balance: Micro, perHour: Micro, emptyAt: string | null, now: number): number | null {
  const byRate = perHour > 0n ? Number((balance * hourMs) / perHour) : null
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

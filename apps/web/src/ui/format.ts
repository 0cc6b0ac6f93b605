/**
 * Amounts, times and sizes as people read them. Money arrives as the wire's decimal string and is never a number here:
 * every digit comes from the string or from whole-number arithmetic. Dates say their offset from UTC.
 */

const amount = /^(-?)(\d+)(?:\.(\d{1,6}))?$/
const group = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ',')

export interface MoneyFormat {
  /** 2: what is shown; 6: every digit the service keeps; `all`: those behind the cents too, without idle zeros. */
  readonly decimals?: 2 | 6 | 'all'
  /** Leaves out `.00`, for totals that are whole dollars. */
  readonly wholeDollars?: boolean
}

/**
 * `"0.750000"` → `"$0.75"`, `"-12.5"` → `"−$12.50"`. Halves round to even; a non-zero amount keeps its sign. Below one
 * cent it shows all digits: `$0.00` would deny it.
 */
export function formatMoney(usd: string, { decimals = 2, wholeDollars = false }: MoneyFormat = {}): string {
  const match = amount.exec(usd)
  if (!match) throw new RangeError(`not a USD amount: ${JSON.stringify(usd.slice(0, 40))}`)
  const micro = BigInt(match[2]! + (match[3] ?? '').padEnd(6, '0'))
  const isAll = decimals === 'all' || (decimals === 2 && micro > 0n && micro < 10_000n)
  const places = isAll ? 6 : decimals
  const digits = roundHalfEven(micro, 10n ** BigInt(6 - places))
    .toString()
    .padStart(places + 1, '0')
  const cents = digits.slice(-places)
  const fraction =
    wholeDollars && /^0+$/.test(cents) ? '' : `.${isAll ? cents.replace(/0{1,4}$/, '') : cents}`
  return `${match[1] && micro > 0n ? '−' : ''}$${group(digits.slice(0, -places))}${fraction}`
}

/** A price per hour: what small part of a cent it has is what hours of it cost. `"0.763889"` → `"$0.763889"`. */
export const formatRate = (usd: string): string => formatMoney(usd, { decimals: 'all' })

/** `"0.750000"` → `"$0.75/h"`. */
export const formatHourly = (usd: string): string => `${formatRate(usd)}/h`

/** Whether two decimals show all of it. */
export const isWholeCents = (usd: string): boolean => !/\.\d\d0*[1-9]/.test(usd)

function roundHalfEven(value: bigint, unit: bigint): bigint {
  const quotient = value / unit
  const twice = (value % unit) * 2n
  return twice > unit || (twice === unit && quotient % 2n === 1n) ? quotient + 1n : quotient
}

const two = (n: number): string => String(n).padStart(2, '0')

/** The two largest units: `"3d 04h"`, `"6h 10m"`, `"41m"`, `"12s"`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (minutes < 1) return `${seconds}s`
  if (hours < 1) return `${minutes}m`
  return hours < 24 ? `${hours}h ${two(minutes % 60)}m` : `${Math.floor(hours / 24)}d ${two(hours % 24)}h`
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const dayMs = 86_400_000

/** Up to 24 hours away: `"12 minutes ago"`; else null, and the date says more. */
export function formatRelative(at: Date, now: Date): string | null {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000)
  const away = Math.abs(seconds)
  if (away * 1000 >= dayMs) return null
  if (away < 10) return 'now'
  if (away < 60) return relative.format(seconds, 'second')
  if (away < 3600) return relative.format(Math.trunc(seconds / 60), 'minute')
  return relative.format(Math.trunc(seconds / 3600), 'hour')
}

/** `"20 Nov 2026"`. */
export const formatDate = (at: Date, timeZone?: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone }).format(at)

/** `"20 Nov 2026, 14:56:10 UTC+2"`, in the reader's zone unless another is named. */
export function formatExact(at: Date, timeZone?: string): string {
  const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone }).format(at)
  return `${formatDate(at, timeZone)}, ${time} ${utcOffset(at, timeZone)}`
}

function utcOffset(at: Date, timeZone?: string): string {
  const parts = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset', timeZone }).formatToParts(at)
  const offset = parts.find(part => part.type === 'timeZoneName')?.value ?? 'UTC'
  return offset.replace('GMT', 'UTC').replace(/\+0$/, '')
}

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** Decimal units, three digits: `"7.4 GB"`, `"512 MB"`. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${units[power]}`
}

/** `1000` → `"1 TB"`, `140` → `"140 GB"`. */
export const formatGb = (gb: number): string => (gb >= 1000 ? `${gb / 1000} TB` : `${gb} GB`)

/** `1208` → `"1,208"`. */
export const formatCount = (count: number): string => group(String(count))

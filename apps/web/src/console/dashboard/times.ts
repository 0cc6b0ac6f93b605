/** Times of the dashboard. They are UTC, because its days are: a bar, a midnight and an event must stand on one axis. */
const part = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC', hourCycle: 'h23' })

const clock = part({ hour: '2-digit', minute: '2-digit' })
const weekday = part({ weekday: 'short' })
const dayMonth = part({ day: 'numeric', month: 'short' })
const whole = part({ weekday: 'long', day: 'numeric', month: 'short', year: 'numeric' })
const monthName = part({ month: 'long' })
export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

/** `09:12` */
export const clockText = (ms: number): string => clock.format(ms)
/** `Thu` */
export const weekdayText = (ms: number): string => weekday.format(ms)
/** `26 Nov` */
export const dayText = (ms: number): string => dayMonth.format(ms)
/** `November` */
export const monthText = (ms: number): string => monthName.format(ms)
/** `Tuesday 24 Nov 2026, 09:12 UTC` */
export const momentText = (ms: number): string => `${whole.format(ms).replace(',', '')}, ${clockText(ms)} UTC`
/** `Thu 26 Nov 15:04` */
export const dateText = (ms: number): string => `${weekdayText(ms)} ${dayText(ms)} ${clockText(ms)}`

/** `15:04` on the day of `now`, else `Thu 26 Nov 15:04`. */
export const whenText = (ms: number, now: number): string =>
  Math.floor(ms / dayMs) === Math.floor(now / dayMs) ? clockText(ms) : dateText(ms)

/** `12 min`, `5 h 12 min`, `2 days 5 hours`. */
export function spanText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000))
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`
  const days = Math.floor(hours / 24)
  const count = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`
  return days < 7 && hours % 24 ? `${count(days, 'day')} ${count(hours % 24, 'hour')}` : count(days, 'day')
}

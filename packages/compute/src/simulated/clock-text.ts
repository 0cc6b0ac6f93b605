/** Times as Linux commands print them, always in UTC: the simulated machine has no other time zone. */

const parts = (ms: number) => {
  const [weekday, day, month, year, time] = new Date(ms).toUTCString().replace(',', '').split(' ') as [
    string,
    string,
    string,
    string,
    string,
  ]
  return { weekday, day: String(Number(day)).padStart(2), month, year, time, hourMinute: time.slice(0, 5) }
}

/** `Fri Nov 21 02:02:14 UTC 2025` */
export function dateLine(ms: number): string {
  const { weekday, day, month, year, time } = parts(ms)
  return `${weekday} ${month} ${day} ${time} UTC ${year}`
}

/** `Nov 21 02:02`, as in a long listing. */
export function listingTime(ms: number): string {
  const { day, month, hourMinute } = parts(ms)
  return `${month} ${day} ${hourMinute}`
}

/** `02:02` today, `Nov21` on another day: the START column of ps. */
export function processStart(ms: number, nowMs: number): string {
  const { day, month, hourMinute } = parts(ms)
  const isToday = Math.floor(ms / 86_400_000) === Math.floor(nowMs / 86_400_000)
  return isToday ? hourMinute : `${month}${day.trim().padStart(2, '0')}`
}

/** ` 02:02:14 up 3 days,  4:05,  1 user,  load average: 0.08, 0.03, 0.01` without the leading blank. */
export function uptimeLine(startedAtMs: number, nowMs: number): string {
  const minutes = Math.max(0, Math.floor((nowMs - startedAtMs) / 60_000))
  const days = Math.floor(minutes / 1_440)
  const hours = Math.floor(minutes / 60) % 24
  const clock = `${String(hours).padStart(2)}:${String(minutes % 60).padStart(2, '0')}`
  const rest = hours > 0 ? clock : `${minutes % 60} min`
  const up = days > 0 ? `${days} day${days === 1 ? '' : 's'}, ${rest}` : rest
  return `${parts(nowMs).time} up ${up},  1 user,  load average: ${loadAverage.join(', ')}`
}

/** An idle machine's. */
export const loadAverage = ['0.08', '0.03', '0.01'] as const

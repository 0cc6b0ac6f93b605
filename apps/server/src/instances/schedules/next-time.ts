/**
 * When a clock in a time zone next shows a time on one of some weekdays. Time zones are those of the Node that runs this.
 * A time that the clocks pass over when they go forward comes as much later as they went: 02:30 is then 03:30. One that
 * they show twice counts the first time they show it.
 */
import { Temporal } from 'temporal-polyfill'

export interface Times {
  readonly time: string
  /** Monday is 1. */
  readonly weekdays: readonly number[]
  readonly time_zone: string
}

export function isTimeZone(name: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name)
    return true
  } catch {
    return false
  }
}

/** The first time after `afterMs`; null where the time zone is not known. */
export function nextTime({ time, weekdays, time_zone }: Times, afterMs: number): string | null {
  if (!isTimeZone(time_zone)) return null
  const today = Temporal.Instant.fromEpochMilliseconds(afterMs).toZonedDateTimeISO(time_zone).toPlainDate()
  // Yesterday's may have been put off past midnight.
  for (let day = -1; ; day++) {
    const date = today.add({ days: day })
    if (!weekdays.includes(date.dayOfWeek)) continue
    const { epochMilliseconds } = date
      .toPlainDateTime(Temporal.PlainTime.from(time))
      .toZonedDateTime(time_zone, { disambiguation: 'compatible' })
    if (epochMilliseconds > afterMs) return new Date(epochMilliseconds).toISOString()
  }
}

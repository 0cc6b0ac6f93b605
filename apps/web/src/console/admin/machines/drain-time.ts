/** The time of a drain as an administrator types it, in UTC, and what is wrong with it. */
import { drainNoticeMs, maxDrainAheadMs } from '@ingot/contracts/admin/machines'

/** As a field of the kind `datetime-local` has it: `2026-11-27T03:00`. */
export const fieldText = (at: Date): string => at.toISOString().slice(0, 16)

/** Null: it is no time. */
export function readField(text: string): Date | null {
  const at = new Date(`${text}:00.000Z`)
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) && !Number.isNaN(at.getTime()) ? at : null
}

/** The next full hour after a day: time to read a mail. */
export function proposedTime(now: Date): Date {
  const hour = 3_600_000
  return new Date(Math.ceil((now.getTime() + 24 * hour) / hour) * hour)
}

export interface DrainTime {
  readonly at: Date | null
  readonly error: string | null
  /** It has to be confirmed. */
  readonly isShort: boolean
}

export function readDrainTime(text: string, now: Date): DrainTime {
  const at = readField(text)
  if (at === null) return { at, error: 'Give a day and a time', isShort: false }
  const ahead = at.getTime() - now.getTime()
  return {
    at,
    error: ahead > maxDrainAheadMs ? 'At most 90 days ahead' : null,
    isShort: ahead < drainNoticeMs,
  }
}

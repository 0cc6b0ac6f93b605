/** Schedules in words. */
import type { Schedule } from '@ingot/contracts/instance/schedules'

export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7
export const weekdays: readonly Weekday[] = [1, 2, 3, 4, 5, 6, 7]
export const weekdayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const

/** `every day`, `Mon to Fri`, `Mon, Wed`. */
export function daysText(days: readonly number[]): string {
  const given = [...days].toSorted((a, b) => a - b)
  const name = (day: number) => weekdayNames[day - 1]!
  if (given.length === 7) return 'every day'
  const isRow = given.length > 2 && given.every((day, at) => day === given[0]! + at)
  return isRow ? `${name(given[0]!)} to ${name(given.at(-1)!)}` : given.map(name).join(', ')
}

export const scheduleText = ({
  action,
  time,
  weekdays: days,
}: Pick<Schedule, 'action' | 'time' | 'weekdays'>) =>
  `${action === 'start' ? 'Starts' : 'Stops'} at ${time}, ${daysText(days)}`

export const outcomeWords: Record<NonNullable<Schedule['last_outcome']>, string> = {
  done: 'done',
  nothing_to_do: 'nothing to do',
  refused: 'refused',
  missed: 'missed',
}

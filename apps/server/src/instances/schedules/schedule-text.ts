import type { Times } from './next-time.ts'

const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

/** `Stops at 20:00 on Mon, Tue, Wed (Europe/Berlin)`. */
export function scheduleText({ action, ...times }: Times & { readonly action: 'start' | 'stop' }): string {
  const on =
    times.weekdays.length === 7 ? 'every day' : `on ${times.weekdays.map(day => days[day - 1]).join(', ')}`
  return `${action === 'start' ? 'Starts' : 'Stops'} at ${times.time} ${on} (${times.time_zone})`
}

/** Tickets in words. */
import type { SupportWait, TicketPriority, TicketStatus } from '@ingot/contracts/support'
import type { StatusKind } from '../../ui/StatusShape.tsx'

/** The specification's list shows the first three; staff may also close. */
export const statusText: Readonly<
  Record<TicketStatus, { readonly mark: StatusKind; readonly word: string }>
> = {
  open: { mark: 'stopped', word: 'Open' },
  in_progress: { mark: 'running', word: 'In progress' },
  resolved: { mark: 'gone', word: 'Resolved' },
  closed: { mark: 'gone', word: 'Closed' },
}

export const priorityText: Readonly<Record<TicketPriority, string>> = {
  low: 'Low',
  medium: 'Medium',
  high: 'High',
}

/** `4 s`, `1 h 8 min`: between two times. */
export function between(from: string, to: string): string {
  const seconds = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  const days = Math.floor(hours / 24)
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`
}

/** When and how soon a person answers; null where nobody can say. */
export function waitText({ hours, first_person_seconds: seconds }: SupportWait): string | null {
  const soon = seconds === null ? null : `half of the time within ${roughly(seconds)}`
  if (hours) return `A person answers ${hours}${soon ? `, ${soon}` : ''}.`
  return soon ? `A person answers ${soon}.` : null
}

function roughly(seconds: number): string {
  const minutes = Math.max(1, Math.round(seconds / 60))
  if (minutes < 55) return minutes === 1 ? 'a minute' : `${minutes} minutes`
  const hours = Math.round(minutes / 60)
  if (hours < 24) return hours <= 1 ? 'about an hour' : `about ${hours} hours`
  const days = Math.round(hours / 24)
  return days === 1 ? 'about a day' : `about ${days} days`
}

/** As tickets and payments are named on screens. */
export const shortId = (id: string): string => id.slice(0, 8)

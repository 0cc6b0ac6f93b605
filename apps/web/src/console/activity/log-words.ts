/** How an event reads and which kind of thing it is about. */
import type { UsageLog } from '@ingot/contracts/activity'
import { readId, readSearchText } from '../list/read-search.ts'
import type { SearchText } from '../list/search-state.ts'

export type EventKind = 'instance' | 'volume' | 'user'

/** `instance_usage_charged` → `Instance usage charged`. */
export function actionLabel(action: string): string {
  const words = action.replaceAll('_', ' ').replace(/^api /, 'API ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

export function kindOf(action: string): EventKind {
  if (action.startsWith('instance_')) return 'instance'
  return action.startsWith('volume_') ? 'volume' : 'user'
}

export const kindFilters: Record<EventKind, string> = { instance: 'Instance', volume: 'Volume', user: 'User' }

export interface LogFilter {
  readonly search: string
  /** A kind, or one action. */
  readonly action: string | undefined
  readonly instance: string | undefined
}

export const readLogSearch = (search: SearchText): LogFilter => ({
  search: readSearchText(search),
  // An address that says `all` filters nothing.
  action: search['action'] === 'all' ? undefined : search['action'],
  instance: readId(search['instance']),
})

/** Of what is loaded: by kind or action, and by any word a line shows. */
export function matchLogs(logs: readonly UsageLog[], { search, action }: LogFilter): UsageLog[] {
  const wanted = search.trim().toLowerCase()
  return logs.filter(log => {
    if (action !== undefined && action !== log.action && action !== kindOf(log.action)) return false
    const text = [actionLabel(log.action), log.instance_name, log.instance_id, log.message].join(' ')
    return text.toLowerCase().includes(wanted)
  })
}

/** The two summary cards that need more than a length. */
export const countToday = (logs: readonly UsageLog[], now: Date): number =>
  logs.filter(log => new Date(log.timestamp).toDateString() === now.toDateString()).length

export const countKind = (logs: readonly UsageLog[], kind: EventKind): number =>
  logs.filter(log => kindOf(log.action) === kind).length

/** How an event reads, and what an address of the log asks for. */
import {
  type ActorKind,
  type EventKind,
  eventKinds,
  type UsageAction,
  usageActions,
} from '@ingot/contracts/activity'
import { readId, readOne, readSearchText } from '../list/read-search.ts'
import type { SearchText } from '../list/search-state.ts'

/** `instance_usage_charged` → `Instance usage charged`. */
export function actionLabel(action: string): string {
  const words = action.replaceAll('_', ' ').replace(/^api /, 'API ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** Said only where it is not what the reader takes for granted: they did it, or the service did its part. */
export const actorWords: Partial<Record<ActorKind, string>> = {
  api_key: 'by API key',
  schedule: 'by schedule',
  staff: 'by staff',
}

export const kindFilters: Record<EventKind, string> = { instance: 'Instance', volume: 'Volume', user: 'User' }

export interface LogFilter {
  readonly search: string
  /** One filter holds a kind or one action. */
  readonly kind: EventKind | undefined
  readonly action: UsageAction | undefined
  readonly instance: string | undefined
  readonly volume: string | undefined
}

export const readLogSearch = (search: SearchText): LogFilter => ({
  search: readSearchText(search),
  kind: readOne(eventKinds, search['action']),
  action: readOne(usageActions, search['action']),
  instance: readId(search['instance']),
  volume: readId(search['volume']),
})

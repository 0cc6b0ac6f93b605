/** The tabs of an instance's page. Each has an address of its own; the first has the instance's. */
import { readOne } from '../../list/read-search.ts'
import type { SearchText } from '../../list/search-state.ts'

export const instanceTabs = [
  'overview',
  'terminal',
  'files',
  'logs',
  'metrics',
  'ports',
  'events',
  'settings',
] as const
export type InstanceTab = (typeof instanceTabs)[number]

export const tabWords: Record<InstanceTab, string> = {
  overview: 'Overview',
  terminal: 'Terminal',
  files: 'Files',
  logs: 'Logs',
  metrics: 'Metrics',
  ports: 'Ports',
  events: 'Events',
  settings: 'Settings',
}

export const tabOf = (pathname: string): InstanceTab =>
  readOne(instanceTabs, /^\/console\/instances\/[^/]+\/(\w+)\/?$/.exec(pathname)?.[1]) ?? 'overview'

export const pathOf = (tab: InstanceTab) =>
  tab === 'overview' ? '/console/instances/$id' : (`/console/instances/$id/${tab}` as const)

/** Where an address leads that was kept from when tabs stood behind the `?`; null: where it says. */
export function movedTab(tab: InstanceTab, search: SearchText): InstanceTab | null {
  if (tab !== 'overview') return null
  const named = readOne(['metrics', 'logs', 'events'], search['tab'])
  return named ?? (search['range'] ? 'metrics' : null)
}

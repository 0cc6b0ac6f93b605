/** What the operator says and asks of the whole site. What the service pushes makes these be fetched again. */
import type { AnnouncementState } from '@ingot/contracts/site/announcements'
import type { PlannedProduct } from '@ingot/contracts/site'
import { queryOptions } from '@tanstack/react-query'
import { usePages } from '../../list/use-pages.ts'
import { api } from '../../shell/api.ts'

export const announcementsKey = ['site', 'announcements'] as const

export const useAnnouncements = (state: AnnouncementState | undefined) =>
  usePages({
    queryKey: [...announcementsKey, state ?? 'any'],
    pageSize: 50,
    fetch: (page, options) => api.site.announcements({ ...page, state }, options),
  })

export const maintenanceQuery = queryOptions({
  queryKey: ['site', 'maintenance'],
  queryFn: ({ signal }) => api.site.maintenance({}, { signal }),
})

export interface WaitingWish {
  readonly product: PlannedProduct | undefined
  readonly search: string | undefined
}

export const useWaitlist = (wish: WaitingWish) =>
  usePages({
    queryKey: ['site', 'waitlist', wish],
    pageSize: 50,
    keepRows: true,
    fetch: (page, options) => api.site.waitlist({ ...page, ...wish }, options),
  })

export interface SubscriberWish {
  readonly confirmed: boolean | undefined
  readonly search: string | undefined
}

export const useSubscribers = (wish: SubscriberWish) =>
  usePages({
    queryKey: ['site', 'subscribers', wish],
    pageSize: 50,
    keepRows: true,
    fetch: (page, options) => api.site.subscribers({ ...page, ...wish }, options),
  })

export const siteContentQuery = queryOptions({
  queryKey: ['site', 'content'],
  queryFn: ({ signal }) => api.site.siteContent({}, { signal }),
})

/** What it sees changes without a word: mail, blocks, backups. */
const checklistEveryMs = 60_000

export const checklistQuery = queryOptions({
  queryKey: ['site', 'checklist'],
  queryFn: ({ signal }) => api.site.checklist({}, { signal }),
  refetchInterval: checklistEveryMs,
})

/** The activity log and what it can be narrowed down to, as the service answers. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../shell/api.ts'

export const logSummaryQuery = (utcOffsetMinutes: number) =>
  queryOptions({
    queryKey: ['activity', 'summary', utcOffsetMinutes],
    queryFn: ({ signal }) => api.activity.summary({ utc_offset_minutes: utcOffsetMinutes }, { signal }),
  })

/** The newest that match, deleted ones too. */
export const loggedInstancesQuery = (search: string, limit = 50) =>
  queryOptions({
    queryKey: ['activity', 'instances', search, limit],
    queryFn: ({ signal }) => api.activity.instances({ limit, ...(search ? { search } : {}) }, { signal }),
    placeholderData: keepPreviousData,
  })

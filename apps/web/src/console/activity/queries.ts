/** The activity log, as the service answers. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../shell/api.ts'

export const logSummaryQuery = (utcOffsetMinutes: number) =>
  queryOptions({
    queryKey: ['activity', 'summary', utcOffsetMinutes],
    queryFn: ({ signal }) => api.activity.summary({ utc_offset_minutes: utcOffsetMinutes }, { signal }),
  })

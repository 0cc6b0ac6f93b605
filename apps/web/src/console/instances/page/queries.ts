/** What only the page of one instance asks for. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../shell/api.ts'

/** Between two answers the figures tick by the rate of the last one. */
const costsEveryMs = 30_000
/** Events that are counted on the overview; of more it says that there are more. */
export const mostCounted = 100

export const costsQuery = (id: string) =>
  queryOptions({
    queryKey: ['instances', 'costs', id],
    queryFn: ({ signal }) => api.instances.costs({ id }, { signal }),
    refetchInterval: costsEveryMs,
  })

export const latestEventsQuery = (id: string) =>
  queryOptions({
    queryKey: ['instances', 'latest-events', id],
    queryFn: ({ signal }) => api.instances.instanceEvents({ id, limit: mostCounted }, { signal }),
  })

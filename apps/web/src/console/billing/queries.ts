import { queryOptions } from '@tanstack/react-query'
import { api } from '../shell/api.ts'

/** What this month cost, and all months. */
export const spendingQuery = queryOptions({
  queryKey: ['billing', 'summary'],
  queryFn: ({ signal }) => api.billing.summary({}, { signal }),
})

/** What the service says of withdrawals. Their keys begin with the wallet's: what moves money moves them. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../shell/api.ts'

export const termsQuery = queryOptions({
  queryKey: ['wallet', 'withdrawals', 'terms'],
  queryFn: ({ signal }) => api.withdrawals.terms({}, { signal }),
})

/** As many as the panel shows; the bill has them all. */
const shown = 5
export const recentQuery = queryOptions({
  queryKey: ['wallet', 'withdrawals', 'recent'],
  queryFn: ({ signal }) => api.withdrawals.list({ limit: shown }, { signal }),
})

import { queryOptions } from '@tanstack/react-query'
import { api } from '../shell/api.ts'

/** What runs draws on budgets, which no fact tells: a screen that shows them asks again. */
const askAgainMs = 60_000

export const budgetsQuery = queryOptions({
  queryKey: ['budgets'],
  queryFn: ({ signal }) => api.budgets.get({}, { signal }),
  refetchInterval: askAgainMs,
})

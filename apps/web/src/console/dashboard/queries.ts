/** What the dashboard asks for. Keys begin with the noun that is asked, so facts refresh them. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { instancesQuery } from '../instances/queries.ts'
import { api } from '../shell/api.ts'
import { dayMs } from './times.ts'

/** Idleness, a runway that falls and a queue are no facts that are pushed. */
const askAgainMs = 30_000
const minuteMs = 60_000

export const attentionQuery = queryOptions({
  queryKey: ['activity', 'attention'],
  queryFn: ({ signal }) => api.activity.attention({}, { signal }),
  refetchInterval: askAgainMs,
})

export const recentQuery = queryOptions({
  queryKey: ['activity', 'recent'],
  queryFn: ({ signal }) => api.activity.recent({ limit: 12 }, { signal }),
  refetchInterval: minuteMs,
})

export const runningQuery = queryOptions({
  ...instancesQuery({ status: 'running', limit: 100 }),
  refetchInterval: askAgainMs,
})

export const balanceQuery = queryOptions({
  queryKey: ['billing', 'balance'],
  queryFn: ({ signal }) => api.billing.balance({}, { signal }),
  refetchInterval: minuteMs,
})

/** Of the last `count` days or hours up to the one of `now`, by GPU. */
export const spendQuery = (by: 'day' | 'hour', from: string) =>
  queryOptions({
    queryKey: ['billing', 'usage', by, from],
    queryFn: ({ signal }) => api.billing.usage({ by, from }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: minuteMs,
  })

/** What each instance cost today. */
export const todayQuery = (now: number) => {
  const today = new Date(Math.floor(now / dayMs) * dayMs).toISOString().slice(0, 10)
  return queryOptions({
    queryKey: ['billing', 'usage', 'today', today],
    queryFn: ({ signal }) => api.billing.usage({ by: 'instance', from: today }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: minuteMs,
  })
}

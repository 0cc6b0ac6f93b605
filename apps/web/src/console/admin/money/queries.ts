/** The money of the business, prices, and the queues of payments and payouts. No fact is pushed of them: they are asked again. */
import type { moneyDimensions, moneySorts, priceWhens } from '@ingot/contracts/admin/business'
import { queryOptions } from '@tanstack/react-query'
import { usePages } from '../../list/use-pages.ts'
import { api } from '../../shell/api.ts'

const minuteMs = 60_000

export interface DaySpan {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export const moneyQuery = (span: DaySpan) =>
  queryOptions({
    queryKey: ['business', 'money', span.from ?? '', span.to ?? ''],
    queryFn: ({ signal }) => api.business.money(span, { signal }),
    refetchInterval: ({ state }) => (state.data?.check.is_running ? 1_500 : minuteMs),
  })

export const identityQuery = queryOptions({
  queryKey: ['business', 'identity'],
  queryFn: ({ signal }) => api.business.identity({}, { signal }),
})

export const useMoneyBy = (
  span: DaySpan,
  dimension: (typeof moneyDimensions)[number],
  sort: (typeof moneySorts)[number],
) =>
  usePages({
    queryKey: ['business', 'by', dimension, sort, span.from ?? '', span.to ?? ''],
    pageSize: 20,
    fetch: (page, options) => api.business.by({ ...page, ...span, dimension, sort }, options),
    keepRows: true,
  })

/** What all of them come to, and which days that is of. */
export const moneySumQuery = (span: DaySpan, dimension: (typeof moneyDimensions)[number]) =>
  queryOptions({
    queryKey: ['business', 'sum', dimension, span.from ?? '', span.to ?? ''],
    queryFn: ({ signal }) => api.business.by({ ...span, dimension, limit: 1 }, { signal }),
  })

export const pricesKey = ['business', 'prices'] as const
export const usePrices = (when: (typeof priceWhens)[number] | undefined) =>
  usePages({
    queryKey: [...pricesKey, when ?? 'any'],
    pageSize: 100,
    fetch: (page, options) => api.business.prices({ ...page, when }, options),
  })

export const paymentsKey = ['payments', 'admin'] as const
/** Held deposits: those that wait for a decision, or all that are not credited yet. */
export const useHeldDeposits = (which: 'decide' | 'pending' | 'failed') =>
  usePages({
    queryKey: [...paymentsKey, 'held', which],
    pageSize: 50,
    fetch: (page, options) =>
      api.payments.list(
        {
          ...page,
          status: which === 'failed' ? 'failed' : 'pending',
          can_decide: which === 'decide' ? true : undefined,
        },
        options,
      ),
    refetchMs: 15_000,
  })

export const payoutsKey = ['withdrawals', 'admin'] as const
export const usePayouts = (state: 'open' | 'done') =>
  usePages({
    queryKey: [...payoutsKey, state],
    pageSize: 50,
    fetch: (page, options) => api.withdrawals.queue({ ...page, state }, options),
    refetchMs: 15_000,
  })

/** Cards that were seen and have no price. A new one is no fact that is pushed. */
export const unpricedQuery = queryOptions({
  queryKey: ['catalog', 'unpriced'],
  queryFn: async ({ signal }) => (await api.catalog.hosts({ limit: 1 }, { signal })).unpriced,
  refetchInterval: 30_000,
})

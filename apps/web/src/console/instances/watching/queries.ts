/** What an instance uses, and what happened to it. */
import { stripCellMs, watchEveryMs } from '@ingot/contracts/instance/watching'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { clockOffset } from '../../../ui/use-now.ts'
import { api } from '../../shell/api.ts'
import { type Range, ranges } from './charts.ts'

const hourMs = 3_600_000
const stepMs = 30_000

export const metricsQuery = (id: string, range: Range) =>
  queryOptions({
    queryKey: ['instances', 'metrics', id, range],
    queryFn: ({ signal }) => {
      const now = Date.now() + clockOffset()
      const from = new Date(now - ranges[range] * hourMs).toISOString()
      return api.instances.metrics({ id, from, to: new Date(now).toISOString() }, { signal })
    },
    placeholderData: keepPreviousData,
    refetchInterval: stepMs,
  })

/** Only while it is on screen: the machine is asked for it. */
export const metricsNowQuery = (id: string) =>
  queryOptions({
    queryKey: ['instances', 'metrics-now', id],
    queryFn: ({ signal }) => api.instances.metricsNow({ id }, { signal }),
    refetchInterval: watchEveryMs,
  })

/** Of many instances in one request. */
export const loadsQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['instances', 'loads', ids],
    queryFn: ({ signal }) => api.instances.loads({ ids: ids.join(',') }, { signal }),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: stripCellMs / 3,
  })

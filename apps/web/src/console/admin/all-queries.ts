/** What administrators see of everybody: cards, decisions, counts, lists and single rows. Nothing of it is pushed, so it is asked for again. */
import type { AdminInstance } from '@ingot/contracts/admin/instances'
import type { AdminVolume } from '@ingot/contracts/admin/volumes'
import type { Input } from '@ingot/contracts/operation'
import type { Api } from '@ingot/contracts/api'
import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query'
import { usePages } from '../list/use-pages.ts'
import { api } from '../shell/api.ts'

/** The same beginning for all of it: one act changes cards, decisions, counts and lists together. */
const all = ['admin'] as const
const everyMs = 15_000
/** While something starts, stops, is made or deleted. */
const whileChangingMs = 1_500
const pageSize = 50
/** The specification's: the list of bills shows 20 rows at first. */
const billingPageSize = 20

export function useRefreshAdmin(): () => void {
  const client = useQueryClient()
  return () => void client.invalidateQueries({ queryKey: all })
}

export const overviewQuery = queryOptions({
  queryKey: [...all, 'overview'],
  queryFn: ({ signal }) => api.admin.overview({}, { signal }),
  refetchInterval: everyMs,
})

export const decisionsQuery = queryOptions({
  queryKey: [...all, 'decisions'],
  queryFn: ({ signal }) => api.admin.decisions({}, { signal }),
  refetchInterval: everyMs,
})

/** How many rows each list has, or how many of them a search finds. */
export const countsQuery = (search: string | undefined) =>
  queryOptions({
    queryKey: [...all, 'counts', search ?? ''],
    queryFn: ({ signal }) => api.admin.counts({ search }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: everyMs,
  })

type Filter<Call extends keyof Api['admin']> = Omit<Input<Api['admin'][Call]>, 'cursor' | 'limit'>

export const useUsers = (filter: Filter<'users'>) =>
  usePages({
    queryKey: [...all, 'users', filter],
    pageSize,
    keepRows: true,
    refetchMs: everyMs,
    fetch: (page, options) => api.admin.users({ ...page, ...filter }, options),
  })

const isInstanceChanging = ({ status }: Pick<AdminInstance, 'status'>) =>
  status === 'starting' || status === 'stopping'
const isVolumeChanging = ({ status }: Pick<AdminVolume, 'status'>) =>
  status === 'creating' || status === 'deleting'

export const useAllInstances = (filter: Filter<'instances'>) =>
  usePages({
    queryKey: [...all, 'instances', filter],
    pageSize,
    keepRows: true,
    refetchMs: (rows: readonly AdminInstance[]) =>
      rows.some(isInstanceChanging) ? whileChangingMs : everyMs,
    fetch: (page, options) => api.admin.instances({ ...page, ...filter }, options),
  })

export const useAllVolumes = (filter: Filter<'volumes'>) =>
  usePages({
    queryKey: [...all, 'volumes', filter],
    pageSize,
    keepRows: true,
    refetchMs: (rows: readonly AdminVolume[]) => (rows.some(isVolumeChanging) ? whileChangingMs : everyMs),
    fetch: (page, options) => api.admin.volumes({ ...page, ...filter }, options),
  })

export const useAllBilling = (filter: Filter<'billing'>) =>
  usePages({
    queryKey: [...all, 'billing', filter],
    pageSize: billingPageSize,
    keepRows: true,
    refetchMs: everyMs,
    fetch: (page, options) => api.admin.billing({ ...page, ...filter }, options),
  })

export const paymentsKey = [...all, 'payments'] as const
export const usePayments = (filter: Omit<Input<Api['payments']['list']>, 'cursor' | 'limit'>) =>
  usePages({
    queryKey: [...paymentsKey, filter],
    pageSize,
    keepRows: true,
    refetchMs: everyMs,
    fetch: (page, options) => api.payments.list({ ...page, ...filter }, options),
  })

export const anyUserQuery = (id: string) =>
  queryOptions({
    queryKey: [...all, 'user', id],
    queryFn: ({ signal }) => api.admin.user({ id }, { signal }),
    refetchInterval: everyMs,
  })

export const anyInstanceQuery = (id: string) =>
  queryOptions({
    queryKey: [...all, 'instance', id],
    queryFn: ({ signal }) => api.admin.instance({ id }, { signal }),
    refetchInterval: ({ state: { data } }) => (data && isInstanceChanging(data) ? whileChangingMs : everyMs),
  })

/** What happened to it, the newest first. */
export const useAnyUsageLog = (id: string) =>
  usePages({
    queryKey: [...all, 'usage-log', id],
    pageSize: 20,
    refetchMs: everyMs,
    fetch: (page, options) => api.admin.instanceUsageLog({ id, ...page }, options),
  })

export const anyVolumeQuery = (id: string) =>
  queryOptions({
    queryKey: [...all, 'volume', id],
    queryFn: ({ signal }) => api.admin.volume({ id }, { signal }),
    refetchInterval: ({ state: { data } }) => (data && isVolumeChanging(data) ? whileChangingMs : everyMs),
  })

const fewest = 5
/** The newest few that a user has. */
export const instancesOfQuery = (userId: string) =>
  queryOptions({
    queryKey: [...all, 'instances', 'of', userId],
    queryFn: ({ signal }) => api.admin.instances({ user_id: userId, limit: fewest }, { signal }),
  })
export const volumesOfQuery = (userId: string) =>
  queryOptions({
    queryKey: [...all, 'volumes', 'of', userId],
    queryFn: ({ signal }) => api.admin.volumes({ user_id: userId, limit: fewest }, { signal }),
  })

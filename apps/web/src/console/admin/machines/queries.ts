/** Regions, hosts and decisions about places. What is taken of a host is no fact that is pushed: it is asked for again. */
import type { HostDetails } from '@ingot/contracts/admin/machines'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { usePages } from '../../list/use-pages.ts'
import { api } from '../../shell/api.ts'

const everyMs = 30_000
/** While something is stopping, it changes by the second. */
const soonMs = 3_000

export const useHosts = () =>
  usePages({
    queryKey: ['catalog', 'hosts'],
    pageSize: 100,
    fetch: (page, options) => api.catalog.hosts(page, options),
    refetchMs: everyMs,
  })

export const regionsQuery = queryOptions({
  queryKey: ['machines', 'regions'],
  queryFn: async ({ signal }) => (await api.machines.regions({}, { signal })).items,
  refetchInterval: everyMs,
})

export const hostQuery = (id: string) =>
  queryOptions({
    queryKey: ['machines', 'host', id],
    queryFn: ({ signal }) => api.machines.host({ id }, { signal }),
    refetchInterval: query =>
      query.state.data?.maintenance?.state === 'drained' && query.state.data.concerned.running > 0
        ? soonMs
        : everyMs,
  })

export const useHostInstances = (id: string) =>
  usePages({
    queryKey: ['machines', 'instances', id],
    pageSize: 50,
    fetch: (page, options) => api.machines.hostInstances({ ...page, id }, options),
    refetchMs: everyMs,
  })

export interface PlacementFilter {
  readonly outcome: 'placed' | 'kept' | 'refused' | 'waiting' | 'released' | undefined
  readonly instance_id: string | undefined
  readonly host: string | undefined
}

export const usePlacements = (filter: PlacementFilter) =>
  usePages({
    queryKey: ['machines', 'placements', filter],
    pageSize: 50,
    keepRows: true,
    fetch: (page, options) => api.machines.placements({ ...page, ...filter }, options),
    refetchMs: everyMs,
  })

/** The host as the service answered it is shown at once, and everything else about machines is asked for again. */
export function useHostAct<Input>(call: (input: Input) => Promise<HostDetails>, onDone: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: call,
    onSuccess: host => {
      client.setQueryData(hostQuery(host.id).queryKey, host)
      void client.invalidateQueries({ queryKey: ['machines'] })
      void client.invalidateQueries({ queryKey: ['catalog'] })
      onDone()
    },
  })
}

/** Volumes as the service lists them and one by one, and what has room for them. */
import { changedBy } from '@ingot/contracts/events'
import type { Instance } from '@ingot/contracts/instances'
import type { Volume, VolumeStatus } from '@ingot/contracts/volumes'
import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { usePages } from '../list/use-pages.ts'
import { api } from '../shell/api.ts'

const pageSize = 50
/** As many as one call may answer. */
const most = 100

interface Filter {
  readonly search?: string
  readonly status?: VolumeStatus
}

export const useVolumes = (filter: Filter) =>
  usePages<Volume>({
    queryKey: ['volumes', 'list', filter],
    pageSize,
    keepRows: true,
    fetch: ({ limit, cursor }, { signal }) => api.volumes.list({ ...filter, limit, cursor }, { signal }),
  })

export const volumesQuery = (filter: Filter & { readonly limit: number }) =>
  queryOptions({
    queryKey: ['volumes', 'some', filter],
    queryFn: ({ signal }) => api.volumes.list(filter, { signal }),
  })

/** The newest hundred, in one request for all who need a few of them. */
export const newestVolumesQuery = volumesQuery({ limit: most })

export const volumeQuery = (id: string) =>
  queryOptions({
    queryKey: ['volumes', 'one', id],
    queryFn: ({ signal }) => api.volumes.get({ id }, { signal }),
  })

export const volumesSummaryQuery = queryOptions({
  queryKey: ['volumes', 'summary'],
  queryFn: ({ signal }) => api.volumes.summary({}, { signal }),
})

export const volumeRegionsQuery = queryOptions({
  queryKey: ['volumes', 'regions'],
  queryFn: async ({ signal }) => (await api.volumes.regions({}, { signal })).items,
})

/** The instances of a region that are stopped or running, newest first. */
export const useInstancesIn = (region: string) =>
  usePages<Instance>({
    queryKey: ['instances', 'of-region', region],
    pageSize: most,
    fetch: async ({ limit, cursor }, { signal }) => {
      const { items, next_cursor } = await api.instances.list({ limit, cursor }, { signal })
      return { items: items.filter(each => each.region === region && isSettled(each)), next_cursor }
    },
  })
const isSettled = ({ status }: Instance): boolean => status === 'stopped' || status === 'running'

/** Shows what the service answered at once, and asks for the rest again. */
export function useKeepVolume(): (volume: Volume) => void {
  const client = useQueryClient()
  return volume => {
    client.setQueryData(volumeQuery(volume.id).queryKey, volume)
    for (const noun of changedBy.volume) void client.invalidateQueries({ queryKey: [noun] })
  }
}

/** What making it larger costs for the rest of its month. */
export const growthQuery = (id: string, size_gb: number) =>
  queryOptions({
    queryKey: ['volumes', 'growth', id, size_gb],
    queryFn: ({ signal }) => api.volumes.growth({ id, size_gb }, { signal }),
  })

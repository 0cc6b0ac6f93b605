/** Instances as the service lists them and one by one. */
import type { Instance, ListedStatus } from '@ingot/contracts/instances'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../shell/api.ts'

/** Whether an instance is idle is no fact that is pushed, so a screen that shows instances asks again. */
const idleCheckMs = 60_000
/** Nor is how far a start is. */
const startCheckMs = 2_000
/** Nor that others left the queue. */
const queueCheckMs = 10_000
export const askAgainMs = (instances: readonly Instance[]): number =>
  instances.some(({ status }) => status === 'starting')
    ? startCheckMs
    : instances.some(({ queue }) => queue !== null)
      ? queueCheckMs
      : idleCheckMs

export const instancesQuery = (
  filter: {
    search?: string
    status?: ListedStatus
    cursor?: string
    limit?: number
  } = {},
) =>
  queryOptions({
    queryKey: ['instances', 'list', filter],
    queryFn: ({ signal }) => api.instances.list(filter, { signal }),
  })

/** How many there are, which no page of a list can say. */
export const instancesSummaryQuery = queryOptions({
  queryKey: ['instances', 'summary'],
  queryFn: ({ signal }) => api.instances.summary({}, { signal }),
})

/** The newest hundred, in one request for all who need a few of them: the dashboard, the palette. */
export const newestInstancesQuery = instancesQuery({ limit: 100 })
export const placementsQuery = (id: string) =>
  queryOptions({
    queryKey: ['instances', 'placements', id],
    queryFn: async ({ signal }) => (await api.instances.placements({ id }, { signal })).items,
  })
export const instanceQuery = (id: string) =>
  queryOptions({
    queryKey: ['instances', 'one', id],
    queryFn: ({ signal }) => api.instances.get({ id }, { signal }),
  })
export const portsQuery = (id: string) =>
  queryOptions({
    queryKey: ['instances', 'ports', id],
    queryFn: async ({ signal }) => (await api.instances.ports({ id }, { signal })).items,
  })
export const sshAccessQuery = (id: string) =>
  queryOptions({
    queryKey: ['instances', 'ssh', id],
    queryFn: ({ signal }) => api.instances.ssh({ id }, { signal }),
  })

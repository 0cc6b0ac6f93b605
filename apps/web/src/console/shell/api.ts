/** The console's client: the public SDK with the signed-in user's token, and no privilege beside. */
import { createClient } from '@ingot/sdk/client'
import { queryOptions } from '@tanstack/react-query'
import { accessToken } from './auth.tsx'

export const api = createClient({ baseUrl: '', token: accessToken })

/** Queries that more than one screen shows. Keys begin with their noun: `live.ts` refreshes by it. */
export const walletQuery = queryOptions({
  queryKey: ['wallet'],
  queryFn: ({ signal }) => api.wallet.get({}, { signal }),
})
export const gpusQuery = queryOptions({
  queryKey: ['catalog', 'gpus'],
  queryFn: ({ signal }) => api.catalog.gpus({}, { signal }),
})
export const regionsQuery = queryOptions({
  queryKey: ['catalog', 'regions'],
  queryFn: ({ signal }) => api.catalog.regions({}, { signal }),
})
export const templatesQuery = queryOptions({
  queryKey: ['templates'],
  queryFn: ({ signal }) => api.templates.list({}, { signal }),
  staleTime: 3_600_000,
})
export const roleQuery = queryOptions({
  queryKey: ['accounts', 'role'],
  queryFn: ({ signal }) => api.accounts.userRole({}, { signal }),
})
export const instancesQuery = (
  filter: {
    search?: string
    status?: 'running' | 'stopped' | 'starting' | 'stopping'
    cursor?: string
    limit?: number
  } = {},
) =>
  queryOptions({
    queryKey: ['instances', 'list', filter],
    queryFn: ({ signal }) => api.instances.list(filter, { signal }),
  })
export const instanceQuery = (id: string) =>
  queryOptions({
    queryKey: ['instances', 'one', id],
    queryFn: ({ signal }) => api.instances.get({ id }, { signal }),
  })

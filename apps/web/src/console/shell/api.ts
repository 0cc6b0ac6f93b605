/** The console's client: the public SDK with the signed-in user's token, and no privilege beside. */
import { createClient } from '@ingot/sdk/client'
import { queryOptions } from '@tanstack/react-query'
import { accessToken } from '../session/auth.tsx'

export const api = createClient({ baseUrl: '', token: accessToken })

/** Queries that more than one screen shows. Keys begin with their noun: `live.ts` refreshes by it. */
export const walletQuery = queryOptions({
  queryKey: ['wallet'],
  queryFn: ({ signal }) => api.wallet.get({}, { signal }),
})
/** Asking for it tells the service that somebody waits for a transfer, so nothing but a dialog's opening asks again. */
export const usdtConfigQuery = queryOptions({
  queryKey: ['usdt-config'],
  queryFn: ({ signal }) => api.wallet.usdtConfig({}, { signal }),
  staleTime: Infinity,
})
export const spendingQuery = queryOptions({
  queryKey: ['billing', 'summary'],
  queryFn: ({ signal }) => api.billing.summary({}, { signal }),
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
export const settingsQuery = queryOptions({
  queryKey: ['accounts', 'settings'],
  queryFn: ({ signal }) => api.accounts.settings({}, { signal }),
})
/** Whether an instance is idle is no fact that is pushed, so a screen that shows instances asks again. */
export const idleCheckMs = 60_000
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
/** The newest hundred, in one request for all who need a few of them: the count beside the link, the dashboard, the palette. */
export const newestInstancesQuery = instancesQuery({ limit: 100 })
export const instanceQuery = (id: string) =>
  queryOptions({
    queryKey: ['instances', 'one', id],
    queryFn: ({ signal }) => api.instances.get({ id }, { signal }),
  })
/** Every mail the server sent. It answers only on a test cloud of this machine, which is how a screen knows that it is on one. */
export const devMailQuery = queryOptions({
  queryKey: ['dev', 'mail'],
  queryFn: ({ signal }) => api.dev.mail({}, { signal }),
  retry: false,
})

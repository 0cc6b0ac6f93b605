import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from './api.ts'

/** Every mail the server sent. It answers only on a test cloud of this machine, which is how a screen knows that it is on one. */
export const devMailQuery = queryOptions({
  queryKey: ['dev', 'mail'],
  queryFn: ({ signal }) => api.dev.mail({}, { signal }),
  retry: false,
})

const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname)

/** Whether the tools of a test cloud are here: the inbox, the faucet. Elsewhere they are never asked for. */
export const useDevTools = (): boolean =>
  useQuery({ ...devMailQuery, enabled: isLoopback, staleTime: 60_000 }).isSuccess

import { useQuery } from '@tanstack/react-query'
import { devMailQuery } from './api.ts'

const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname)

/** Whether the tools of a test cloud are here: the inbox, the faucet. Elsewhere they are never asked for. */
export const useDevTools = (): boolean =>
  useQuery({ ...devMailQuery, enabled: isLoopback, staleTime: 60_000 }).isSuccess

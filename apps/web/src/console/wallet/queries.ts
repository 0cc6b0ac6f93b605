/** What the service says of the wallet. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../shell/api.ts'

export const walletQuery = queryOptions({
  queryKey: ['wallet'],
  queryFn: ({ signal }) => api.wallet.get({}, { signal }),
})
/**
 * Asking for it tells the service that somebody waits for a transfer, so nothing but a dialog's opening asks again. That
 * is why its key does not begin with `wallet`: a fact about the wallet would fetch it.
 */
export const usdtConfigQuery = queryOptions({
  queryKey: ['usdt-config'],
  queryFn: ({ signal }) => api.wallet.usdtConfig({}, { signal }),
  staleTime: Infinity,
})

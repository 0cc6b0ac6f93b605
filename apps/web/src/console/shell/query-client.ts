import { IngotError } from '@ingot/contracts/errors'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'

const retries = 2

/** A refusal is an answer: asking again changes nothing. A cut line or a failing service is asked twice more. */
const mayRecover = (error: Error): boolean => !(error instanceof IngotError) || error.status >= 500

/** Why the service would not hear the session: it no longer knows it, or wants its second factor first. */
export type SessionRefusal = 'not_authenticated' | 'mfa_required'

const isRefusal = (code: string): code is SessionRefusal =>
  code === 'not_authenticated' || code === 'mfa_required'

export function createQueryClient(onRefused: (why: SessionRefusal) => void): QueryClient {
  const onError = (error: Error) => {
    if (error instanceof IngotError && isRefusal(error.code)) onRefused(error.code)
  }
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < retries && mayRecover(error),
        /** Changes are pushed; this only bounds how long a missed one can stay unseen. */
        staleTime: 30_000,
      },
      /** A write is retried by whoever asked for it, with the same idempotency key. */
      mutations: { retry: false },
    },
  })
}

import { IngotError } from '@ingot/contracts/errors'
import { QueryCache, QueryClient } from '@tanstack/react-query'

const retries = 2

/** A refusal is an answer: asking again changes nothing. A cut line or a failing service is asked twice more. */
const mayRecover = (error: Error): boolean => !(error instanceof IngotError) || error.status >= 500

/** `onRefused`: the service does not know the session any more. */
export const createQueryClient = (onRefused: () => void): QueryClient =>
  new QueryClient({
    queryCache: new QueryCache({
      onError: error => {
        if (error instanceof IngotError && error.code === 'not_authenticated') onRefused()
      },
    }),
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

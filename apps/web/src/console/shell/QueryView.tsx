import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Band } from '../../ui/Band.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { usePending } from '../../ui/use-pending.ts'
import { errorText, requestIdOf } from './error-text.ts'
import { sentence } from './sentence.ts'

export interface QueryViewProps<Data> {
  readonly query: Pick<
    UseQueryResult<Data>,
    'data' | 'error' | 'isPending' | 'isFetching' | 'dataUpdatedAt'
  > & { readonly refetch: () => unknown }
  /** What failed, in plain words: `The billing history could not be loaded`. */
  readonly failed: string
  /** What still works then. */
  readonly consequence?: ReactNode
  /** In the shape of the result. */
  readonly skeleton: ReactNode
  /** Data that could not be fetched again stays without a word about its age. */
  readonly quietAge?: boolean
  readonly children: (data: Data) => ReactNode
}

/**
 * The four states of what is fetched: nothing for 150 ms and then the skeleton; the data, which stays while it is
 * fetched again; a failure with a way to try again; old data with the time it is from.
 */
export function QueryView<Data>({
  query,
  failed,
  consequence,
  skeleton,
  quietAge = false,
  children,
}: QueryViewProps<Data>) {
  const { data, error, isFetching, refetch } = query
  const pending = usePending(query.isPending && !error)
  const retry = () => void refetch()
  if (pending.waiting) return pending.skeleton ? skeleton : null
  if (data === undefined)
    return (
      <ErrorState title={failed} requestId={requestIdOf(error)} onRetry={retry} retrying={isFetching}>
        {sentence(errorText(error))} {consequence}
      </ErrorState>
    )
  return (
    <>
      {error && !quietAge && (
        <div className="pb-4">
          <Band
            tone="warn"
            action={
              <button type="button" onClick={retry} className="min-h-6 underline">
                Try again
              </button>
            }
          >
            Data from {timeOf(query.dataUpdatedAt)}. {sentence(errorText(error))}
          </Band>
        </div>
      )}
      {children(data)}
    </>
  )
}

const timeOf = (ms: number): string =>
  new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' }).format(new Date(ms))

import type { PersonDeletion } from '@ingot/contracts/admin/people'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { api } from '../../shell/api.ts'
import { QueryView } from '../../shell/QueryView.tsx'

export const personDeletionQuery = (id: string) =>
  queryOptions({
    queryKey: ['people', 'deletion', id],
    queryFn: ({ signal }) => api.people.deletion({ id }, { signal }),
    // What runs changes by the second.
    staleTime: 0,
  })

interface ConsequencesProps {
  readonly id: string
  readonly of: (deletion: PersonDeletion) => string[]
}

/** What follows, with the figures of this moment. */
export function Consequences({ id, of }: ConsequencesProps) {
  const query = useQuery({ ...personDeletionQuery(id), refetchOnMount: 'always' })
  return (
    <QueryView
      query={query}
      failed="What it concerns could not be loaded"
      skeleton={<Skeleton className="h-24" />}
    >
      {deletion => (
        <ul className="flex list-disc flex-col gap-1 pl-5">
          {of(deletion).map(line => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </QueryView>
  )
}

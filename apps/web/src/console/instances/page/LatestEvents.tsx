import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { QueryView } from '../../shell/QueryView.tsx'
import { EventRow } from '../watching/EventRow.tsx'
import { latestEventsQuery } from './queries.ts'

const shown = 6

/** The newest few of what happened to it. */
export function LatestEvents({ id }: { readonly id: string }) {
  const query = useQuery(latestEventsQuery(id))
  const count = query.data?.items.length
  return (
    <section aria-labelledby="latest-events" className="max-lg:order-6 flex min-w-0 flex-col gap-2">
      <div className="flex items-baseline justify-between gap-4">
        <h2 id="latest-events" className="text-heading">
          Events
        </h2>
        <Link
          to="/console/instances/$id/events"
          params={{ id }}
          className="link inline-flex min-h-6 items-center"
        >
          All{' '}
          {count === undefined ? 'events' : query.data?.next_cursor ? `events, more than ${count}` : count}
        </Link>
      </div>
      <QueryView
        query={query}
        failed="The events could not be loaded"
        consequence="The instance itself is not affected."
        skeleton={<SkeletonRows rows={3} columns={2} />}
      >
        {({ items }) =>
          items.length === 0 ? (
            <p className="text-muted">Every start, stop and change of it is told here.</p>
          ) : (
            <ol aria-label="Latest events" className="rounded-panel border border-line bg-raised">
              {items.slice(0, shown).map(event => (
                <EventRow key={event.id} event={event} />
              ))}
            </ol>
          )
        }
      </QueryView>
    </section>
  )
}

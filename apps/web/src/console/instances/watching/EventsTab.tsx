import type { Instance } from '@ingot/contracts/instances'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { ListFrame } from '../../list/ListFrame.tsx'
import { LoadMore } from '../../list/LoadMore.tsx'
import { usePages } from '../../list/use-pages.ts'
import { api } from '../../shell/api.ts'
import { CopyCall } from '../../shell/CopyCall.tsx'
import { EventRow } from './EventRow.tsx'

/** What happened to it, newest first: who did what, by which call. */
export function EventsTab({ instance: { id } }: { readonly instance: Instance }) {
  const { list, rows } = usePages({
    queryKey: ['instances', 'events', id],
    pageSize: 50,
    fetch: (page, options) => api.instances.instanceEvents({ id, ...page }, options),
  })
  return (
    <ListFrame
      query={list}
      failed="The events could not be loaded"
      consequence="The instance itself is not affected."
      skeleton={<SkeletonRows rows={5} columns={2} />}
      isEmpty={rows.length === 0}
      empty={<EmptyState title="No events">Every start, stop and change of it is told here.</EmptyState>}
      more={
        <div className="flex flex-wrap gap-2">
          <LoadMore list={list}>Load older events</LoadMore>
          <CopyCall call="instances.instanceEvents" values={{ id }} />
        </div>
      }
    >
      <ol aria-label="Events, newest first" className="rounded-panel border border-line bg-raised">
        {rows.map(event => (
          <EventRow key={event.id} event={event} />
        ))}
      </ol>
    </ListFrame>
  )
}

import type { ActorKind } from '@ingot/contracts/activity'
import type { Instance } from '@ingot/contracts/instances'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { Time } from '../../../ui/Time.tsx'
import { ListFrame } from '../../list/ListFrame.tsx'
import { LoadMore } from '../../list/LoadMore.tsx'
import { usePages } from '../../list/use-pages.ts'
import { api } from '../../shell/api.ts'
import { CopyCall } from '../../shell/CopyCall.tsx'

const actorWords: Record<ActorKind, string> = {
  user: 'by you',
  api_key: 'by API key',
  schedule: 'by schedule',
  staff: 'by staff',
  system: 'by the service',
}

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
        {rows.map(({ id: key, at, action, message, actor, operation }) => (
          <li
            key={key}
            className="flex flex-wrap gap-x-4 gap-y-1 border-t border-line px-4 py-2 first:border-t-0"
          >
            <span className="w-full text-muted sm:w-auto sm:min-w-24">
              <Time at={at} exact />
            </span>
            <span className="min-w-0 flex-1">
              <span className="font-medium">{actionWords(action)}</span>
              {actor && <span className="text-muted"> {actorWords[actor]}</span>}
              {operation && <code className="font-mono text-code text-muted"> {operation}</code>}
              {message && <span className="block break-words whitespace-pre-line text-muted">{message}</span>}
            </span>
          </li>
        ))}
      </ol>
    </ListFrame>
  )
}

/** `instance_usage_charged` → `Usage charged`. */
function actionWords(action: string): string {
  const words = action.replace(/^instance_/, '').replaceAll('_', ' ')
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

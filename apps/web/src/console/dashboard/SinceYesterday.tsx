import type { RecentItem } from '@ingot/contracts/activity'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatExact } from '../../ui/format.ts'
import { Money } from '../../ui/Money.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { actorWords } from '../activity/log-words.ts'
import { CopyCall } from '../shell/CopyCall.tsx'
import { QueryView } from '../shell/QueryView.tsx'
import { eventWords } from './event-words.ts'
import { recentQuery } from './queries.ts'
import { clockText } from './times.ts'

/** 24 hours back from now: what happened, and what money moved. */
export function SinceYesterday() {
  const query = useQuery(recentQuery)
  const from = query.data && Date.parse(query.data.from)
  return (
    <section aria-labelledby="since" className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="since" className="text-heading">
          Since yesterday{from !== undefined && <>, {clockText(from)} UTC</>}
        </h2>
        <Link to="/console/logs" className="link inline-flex min-h-6 items-center text-label">
          All events
        </Link>
      </div>
      <QueryView
        query={query}
        failed="The last day's events could not be loaded"
        consequence="Nothing else is affected."
        skeleton={<Skeleton className="h-24" />}
      >
        {({ items, is_more }) =>
          items.length === 0 ? (
            <p className="text-muted">Nothing happened in these 24 hours.</p>
          ) : (
            <>
              <ul aria-labelledby="since">
                {items.map((item, at) => (
                  // Two facts of one moment may say the same.
                  // oxlint-disable-next-line react/no-array-index-key
                  <Line key={`${item.at} ${at}`} {...item} />
                ))}
              </ul>
              <div className="flex flex-wrap items-center gap-3">
                <CopyCall call="activity.recent" values={{ limit: 12 }} />
                {is_more && (
                  <span className="text-label font-normal text-muted">The newest {items.length}.</span>
                )}
              </div>
            </>
          )
        }
      </QueryView>
    </section>
  )
}

function Line(item: RecentItem) {
  const { at, action, instance_id, volume_id, volume_is_gone, actor, amount } = item
  const words = eventWords(item)
  const name = <strong className="font-semi">{words.subject}</strong>
  return (
    <li className="grid grid-cols-[44px_minmax(0,1fr)] items-baseline gap-2 py-1">
      <time dateTime={at} title={formatExact(new Date(at))} className="text-label text-muted tabular-nums">
        {clockText(Date.parse(at))}
      </time>
      <p className="min-w-0 break-words">
        {words.subject &&
          (volume_id && !volume_is_gone ? (
            <Link to="/console/network-volumes/$id" params={{ id: volume_id }} className="hover:underline">
              {name}
            </Link>
          ) : instance_id && !volume_id && action !== 'instance_deleted' ? (
            <Link to="/console/instances/$id" params={{ id: instance_id }} className="hover:underline">
              {name}
            </Link>
          ) : (
            name
          ))}{' '}
        <span className={words.isFailure ? 'text-danger' : 'text-muted'}>{words.what}</span>
        {actor && actorWords[actor] && <span className="text-muted"> {actorWords[actor]}</span>}
        {amount !== null && (
          <>
            {' '}
            <span className="whitespace-nowrap">
              <Money value={amount} />
            </span>
          </>
        )}
      </p>
    </li>
  )
}

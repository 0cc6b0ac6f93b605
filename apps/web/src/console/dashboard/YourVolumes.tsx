import type { Volume } from '@ingot/contracts/volumes'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { cx } from '../../ui/cx.ts'
import { formatCount, formatMoney } from '../../ui/format.ts'
import { Money } from '../../ui/Money.tsx'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { CopyCall } from '../shell/CopyCall.tsx'
import { QueryView } from '../shell/QueryView.tsx'
import { newestVolumesQuery, volumesSummaryQuery } from '../volumes/queries.ts'
import { UsedBar } from '../volumes/UsedBar.tsx'
import { formatSize, formatStored, isNearlyFull, usedText } from '../volumes/volume-text.ts'
import { openCreate } from '../volumes/volumes-search.ts'

const most = 5

/** The newest volumes: how full, where, with which instance, and what a month of them costs. */
export function YourVolumes() {
  const volumes = useQuery(newestVolumesQuery)
  const items = volumes.data?.items.slice(0, most) ?? []
  const { data: all } = useQuery({ ...volumesSummaryQuery, enabled: items.length > 0 })
  return (
    <section aria-labelledby="volumes" className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <h2 id="volumes" className="text-heading">
          Volumes
        </h2>
        {items.length > 0 && (
          <p className="text-label text-muted tabular-nums">
            {all &&
              `${formatStored(all.used_bytes)} of ${formatSize(all.size_gb)} used, ${formatMoney(all.monthly_cost)} per month `}
            <Link to="/console/network-volumes" className="link inline-flex min-h-6 items-center">
              {all && all.total > most ? `All ${formatCount(all.total)}` : 'All volumes'}
            </Link>
          </p>
        )}
      </div>
      <QueryView
        query={volumes}
        failed="The volumes could not be loaded"
        consequence="They go on as they were; only this list is missing."
        skeleton={<SkeletonRows rows={2} columns={4} />}
      >
        {() =>
          items.length === 0 ? (
            <p className="text-muted">
              None. A{' '}
              <Link to="/console/network-volumes" search={openCreate} className="link">
                network volume
              </Link>{' '}
              keeps data apart from any instance.
            </p>
          ) : (
            <>
              <ul
                aria-labelledby="volumes"
                className="rounded-panel border border-line bg-raised sm:grid sm:grid-cols-[minmax(0,3fr)_minmax(0,3fr)_minmax(0,3fr)_auto]"
              >
                {items.map(volume => (
                  <Row key={volume.id} volume={volume} />
                ))}
              </ul>
              <div>
                <CopyCall call="volumes.list" values={{ limit: most }} />
              </div>
            </>
          )
        }
      </QueryView>
    </section>
  )
}

function Row({ volume }: { readonly volume: Volume }) {
  const { id, name, region, instance, monthly_cost } = volume
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 border-t border-line px-3 py-2 first:border-t-0 sm:col-span-4 sm:grid-cols-subgrid sm:py-1">
      <span className="min-w-0 sm:py-1">
        <Link
          to="/console/network-volumes/$id"
          params={{ id }}
          title={name}
          className="block truncate font-semi hover:underline"
        >
          {name}
        </Link>
        <span className="block truncate text-label font-normal text-muted">{region}</span>
      </span>
      <span className="truncate text-right tabular-nums sm:order-last">
        <Money value={monthly_cost} />
        <span className="sr-only"> per month</span>
      </span>
      <span className="min-w-0 truncate text-muted max-sm:order-last max-sm:col-span-2">
        {instance ? (
          <Link
            to="/console/instances/$id"
            params={{ id: instance.id }}
            title={instance.name}
            className="hover:underline"
          >
            <span className="sm:sr-only">Attached to </span>
            {instance.name}
          </Link>
        ) : (
          stateText(volume)
        )}
      </span>
      <span className="flex min-w-0 flex-col gap-1 max-sm:col-span-2">
        <UsedBar volume={volume} />
        <span
          className={cx(
            'truncate text-label tabular-nums',
            isNearlyFull(volume) ? 'text-warn' : 'text-muted',
          )}
        >
          {usedText(volume)}
        </span>
      </span>
    </li>
  )
}

const stateText = ({ status, lapsed_at }: Volume): string => {
  if (status === 'creating') return 'Creating'
  if (status === 'deleting') return 'Deleting'
  return lapsed_at === null ? 'Not attached' : 'Read-only, not paid'
}

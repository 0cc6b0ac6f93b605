import type { Instance } from '@ingot/contracts/instances'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Money } from '../../ui/Money.tsx'
import { useNow } from '../../ui/use-now.ts'
import { LoadStrip } from '../instances/watching/LoadStrip.tsx'
import { loadsQuery } from '../instances/watching/queries.ts'
import { api } from '../shell/api.ts'

/** Strips at most: the list has the rest. */
const mostRows = 8
const dayMs = 86_400_000

/** What runs, its load over the last 24 hours, and what today and yesterday cost. */
export function LastDay({ instances }: { readonly instances: readonly Instance[] }) {
  const running = instances.filter(({ status }) => status === 'running').slice(0, mostRows)
  const { data: loads } = useQuery(loadsQuery(running.map(({ id }) => id)))
  const now = useNow(60_000).getTime()
  const [yesterday, today] = [now - dayMs, now].map(ms => new Date(ms).toISOString().slice(0, 10))
  const { data: usage } = useQuery({
    queryKey: ['billing', 'usage', 'last-day', yesterday],
    queryFn: ({ signal }) => api.billing.usage({ by: 'day', from: yesterday }, { signal }),
    enabled: running.length > 0,
    refetchInterval: 60_000,
  })
  if (running.length === 0) return null
  const spentOn = (day: string | undefined) => usage?.items.find(item => item.key === day)?.amount ?? '0'
  const load = new Map(loads?.items.map(each => [each.instance_id, each] as const))
  return (
    <section aria-labelledby="last-day" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <h2 id="last-day" className="text-heading">
          Running now
        </h2>
        {usage && (
          <p className="text-muted">
            <Money value={spentOn(today)} /> today, <Money value={spentOn(yesterday)} /> yesterday (UTC)
          </p>
        )}
      </div>
      <ul className="rounded-panel border border-line bg-raised">
        {running.map(({ id, name, gpu_count, gpu_type, region }) => (
          <li
            key={id}
            className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line px-4 py-2 first:border-t-0"
          >
            <span className="w-full min-w-0 sm:w-sidebar">
              <Link
                to="/console/instances/$id"
                params={{ id }}
                className="block truncate font-semi hover:underline"
                title={name}
              >
                {name}
              </Link>
              <span className="text-label font-normal text-muted">
                {gpu_count}× {gpu_type}, {region}
              </span>
            </span>
            <span className="min-w-0 flex-1">
              <LoadStrip name={name} load={load.get(id)} wide />
            </span>
          </li>
        ))}
      </ul>
      {loads?.items.some(({ simulated, measured }) => measured && !simulated) && (
        <p className="text-label font-normal text-muted">
          GPU load of the last 24 hours, a quarter of an hour a cell.
        </p>
      )}
    </section>
  )
}

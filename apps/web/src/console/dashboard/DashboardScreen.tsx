import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Skeleton, SkeletonRows } from '../../ui/Skeleton.tsx'
import { useShortcut } from '../../ui/shortcuts.ts'
import { useNow } from '../../ui/use-now.ts'
import { ListFrame } from '../list/ListFrame.tsx'
import { openPicker } from '../instances/instances-search.ts'
import { newestInstancesQuery } from '../instances/queries.ts'
import { PageHeading } from '../shell/PageHeading.tsx'
import { BalanceChart } from './BalanceChart.tsx'
import { FirstSteps } from './FirstSteps.tsx'
import { NeedsAttention } from './NeedsAttention.tsx'
import { QuickActions } from './QuickActions.tsx'
import { RecentInstances } from './RecentInstances.tsx'
import { recentQuery } from './queries.ts'
import { RunningNow } from './RunningNow.tsx'
import { SinceYesterday } from './SinceYesterday.tsx'
import { SpendChart } from './SpendChart.tsx'
import { momentText } from './times.ts'
import { YourVolumes } from './YourVolumes.tsx'

/** The console's first page: what needs somebody, what runs, what it costs, what changed. */
export function DashboardScreen() {
  const instances = useQuery(newestInstancesQuery)
  const recent = useQuery(recentQuery)
  const navigate = useNavigate()
  const now = useNow(60_000).getTime()
  useShortcut('c', () => void navigate({ to: '/console/instances', search: openPicker }))
  const isNew = instances.data?.items.length === 0
  // Somebody who has deleted all that they had is not new: what they spent is still to be seen.
  const hasCharts = !isNew || (recent.data?.items.length ?? 0) > 0
  return (
    <div className="flex flex-col gap-6">
      <PageHeading lead={momentText(now)} actions={<QuickActions isLeading={!isNew} />}>
        Dashboard
      </PageHeading>
      <NeedsAttention />
      {!isNew && <RunningNow />}
      {hasCharts && instances.data && (
        <div className="grid gap-4 lg:grid-cols-[3fr_2fr] *:min-w-0">
          <SpendChart />
          <BalanceChart />
        </div>
      )}
      {!instances.data && !instances.error && <Skeleton className="h-chart" />}
      <div className="grid gap-6 lg:grid-cols-[3fr_2fr] lg:gap-4 *:min-w-0">
        <div className="flex flex-col gap-6">
          <section aria-labelledby="recent" className="flex flex-col gap-3">
            <h2 id="recent" className="text-heading">
              {isNew ? 'First steps' : 'Recent instances'}
            </h2>
            <ListFrame
              query={instances}
              failed="The instances could not be loaded"
              consequence="They go on as they were; only this list is missing."
              skeleton={<SkeletonRows rows={5} columns={5} />}
              isEmpty={isNew}
              empty={<FirstSteps />}
            >
              <RecentInstances instances={instances.data?.items.slice(0, 5) ?? []} />
            </ListFrame>
          </section>
          <YourVolumes />
        </div>
        <SinceYesterday />
      </div>
    </div>
  )
}

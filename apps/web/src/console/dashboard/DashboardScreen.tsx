import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { useShortcut } from '../../ui/shortcuts.ts'
import { BudgetsReached } from '../budgets/BudgetsReached.tsx'
import { ListFrame } from '../list/ListFrame.tsx'
import { openPicker } from '../instances/instances-search.ts'
import { newestInstancesQuery } from '../instances/queries.ts'
import { PageHeading } from '../shell/PageHeading.tsx'
import { FirstSteps } from './FirstSteps.tsx'
import { LastDay } from './LastDay.tsx'
import { MonthSummary } from './MonthSummary.tsx'
import { QuickActions } from './QuickActions.tsx'
import { RecentInstances } from './RecentInstances.tsx'

/** The console's first page: what to do, what this month cost, what was made last. */
export function DashboardScreen() {
  const instances = useQuery(newestInstancesQuery)
  const navigate = useNavigate()
  useShortcut('c', () => void navigate({ to: '/console/instances', search: openPicker }))
  const isNew = instances.data?.items.length === 0
  return (
    <div className="flex flex-col gap-8">
      <div className="flex flex-col gap-4">
        <PageHeading>Dashboard</PageHeading>
        <QuickActions isLeading={!isNew} />
      </div>
      <BudgetsReached />
      <MonthSummary />
      <LastDay instances={instances.data?.items ?? []} />
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
    </div>
  )
}

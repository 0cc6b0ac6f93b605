import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button-class.ts'
import { formatCount, formatDate } from '../../ui/format.ts'
import { Money } from '../../ui/Money.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { StatList } from '../../ui/StatList.tsx'
import { spendingQuery } from '../billing/queries.ts'
import { instancesSummaryQuery } from '../instances/queries.ts'
import { QueryView } from '../shell/QueryView.tsx'
import { LastsUntil } from '../wallet/LastsUntil.tsx'
import { useRunway, useWallet } from '../wallet/wallet.tsx'
import { usageHours } from './usage.ts'

/** While instances run the figures grow; the service is asked again at this pace. */
const whileRunningMs = 60_000

export function MonthSummary() {
  const { data: instances } = useQuery(instancesSummaryQuery)
  const isAnyRunning = instances !== undefined && instances.running > 0
  const spending = useQuery({ ...spendingQuery, refetchInterval: isAnyRunning && whileRunningMs })
  const { spendingPerHour, isLoading, isUnknown } = useWallet()
  const isKnown = !isLoading && !isUnknown
  const { emptyAt, now } = useRunway()
  return (
    <section aria-labelledby="month" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="month" className="text-heading">
          This month
        </h2>
        <Link to="/console/billing" className={buttonClass()}>
          View Billing Details
        </Link>
      </div>
      <QueryView
        query={spending}
        failed="This month's figures could not be loaded"
        consequence="Your instances are not affected."
        skeleton={<Skeleton className="h-24" />}
      >
        {({ month_start, spent, usage_minutes }) => (
          <StatList
            label="This month"
            stats={[
              {
                label: 'Spent',
                value: <Money value={spent} />,
                hint: `Since ${formatDate(new Date(month_start), 'UTC')}, UTC`,
              },
              {
                label: 'Usage',
                value: `${usageHours(usage_minutes)} h`,
                hint: 'Running time of all instances',
              },
              {
                label: 'Running now',
                value: instances ? formatCount(instances.running) : '–',
                hint:
                  instances &&
                  `of ${instances.total === 1 ? '1 instance' : `${formatCount(instances.total)} instances`}`,
              },
              {
                label: 'Spending per hour',
                value: isKnown ? <Money value={spendingPerHour} rate /> : '–',
                hint:
                  isKnown &&
                  (emptyAt === null ? (
                    'Nothing draws on the balance'
                  ) : (
                    <>
                      Balance lasts <LastsUntil at={emptyAt} now={now} />
                    </>
                  )),
              },
            ]}
          />
        )}
      </QueryView>
    </section>
  )
}

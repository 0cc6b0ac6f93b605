import { isInTerm } from '@ingot/contracts/instance-costs'
import type { Instance } from '@ingot/contracts/instances'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ExactMoney } from '../../../ui/ExactMoney.tsx'
import { formatDuration, formatGb, formatMoney } from '../../../ui/format.ts'
import { Money } from '../../../ui/Money.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { Time } from '../../../ui/Time.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { CopyCurlButton } from '../../shell/CopyCurlButton.tsx'
import { QueryView } from '../../shell/QueryView.tsx'
import { LastsUntil } from '../../wallet/LastsUntil.tsx'
import type { Runway } from '../../wallet/runway.ts'
import { useRunway } from '../../wallet/wallet.tsx'
import { curlFor } from '../command-text.ts'
import { Card, Lines } from '../../../ui/Card.tsx'
import { costNow, diskHourly } from './cost-now.ts'
import { costsQuery } from './queries.ts'

/** Who asked for less motion sees it move once in ten seconds. */
const everyMs = () => (matchMedia('(prefers-reduced-motion: reduce)').matches ? 10_000 : 1_000)

export function CostCard({ instance }: { readonly instance: Instance }) {
  const query = useQuery(costsQuery(instance.id))
  const now = useNow(everyMs())
  const wallet = useRunway()
  return (
    <Card
      title="Cost"
      className="max-lg:order-3"
      aside={<CopyCurlButton text={curlFor(location.origin, 'costs', { id: instance.id })} />}
    >
      <QueryView
        query={query}
        failed="What it costs could not be loaded"
        consequence="It is metered all the same."
        skeleton={<Skeleton className="h-24" />}
      >
        {costs => {
          const { run, today, perSecond } = costNow(costs, now.getTime())
          return (
            <>
              {run !== null && (
                <div>
                  <p className="flex flex-wrap items-baseline gap-2">
                    <span className="text-title">
                      <ExactMoney value={run} />
                    </span>
                    <span className="text-muted">this run</span>
                  </p>
                  <p className="text-label font-normal text-muted tabular-nums">
                    {instance.started_at &&
                      formatDuration(Math.max(0, now.getTime() - Date.parse(instance.started_at)))}
                    , one second costs {formatMoney(perSecond, { decimals: 'all' })}
                  </p>
                </div>
              )}
              <Lines lines={linesOf(instance, now, today, costs.drawing_per_hour, wallet)} />
            </>
          )
        }}
      </QueryView>
    </Card>
  )
}

function linesOf(
  instance: Instance,
  now: Date,
  today: string,
  drawing: string,
  wallet: Pick<Runway, 'emptyAt' | 'now'>,
) {
  const parts = diskHourly(instance)
  const isPaid = isInTerm(instance, now)
  const isNew = instance.queue?.is_new ?? false
  const lines: (readonly [string, ReactNode])[] = [['Now', <Money key="now" value={drawing} per="h" />]]
  if (isPaid) lines.push(['Paid upfront until', <Time key="until" at={instance.paid_until!} exact />])
  lines.push(['Today (UTC)', <Money key="today" value={today} />])
  if (parts && !isPaid)
    lines.push(
      [`${instance.gpu_count}× ${instance.gpu_type}`, <Money key="gpu" value={parts.gpu} per="h" />],
      [`${formatGb(instance.storage_gb)} disk`, <Money key="disk" value={parts.disk} per="h" />],
    )
  else if (instance.status !== 'running' && !isPaid)
    lines.push(['While running', <Money key="running" value={instance.hourly_cost} per="h" />])
  if (isNew) lines.push(['Set aside', formatMoney(instance.queue!.set_aside)])
  else lines.push(['While stopped', '$0.00/h, disk stays'])
  if (instance.status === 'running')
    lines.push([
      'Balance ends',
      wallet.emptyAt === null ? (
        'No end at this rate'
      ) : (
        <LastsUntil key="ends" at={wallet.emptyAt} now={wallet.now} />
      ),
    ])
  return lines
}

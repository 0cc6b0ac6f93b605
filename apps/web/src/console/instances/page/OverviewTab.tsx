import type { Instance } from '@ingot/contracts/instances'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { QueryView } from '../../shell/QueryView.tsx'
import { metricsNowQuery, metricsQuery } from '../watching/queries.ts'
import { ConnectCard } from './ConnectCard.tsx'
import { CostCard } from './CostCard.tsx'
import { IdleCard } from './IdleCard.tsx'
import { lastHourOf, withNow } from './last-hour.ts'
import { HourCharts, Loads } from './LastHour.tsx'
import { LatestEvents } from './LatestEvents.tsx'
import { PropertiesCard } from './PropertiesCard.tsx'
import { StateNotice } from './StateNotice.tsx'

/** How it is now. On a phone both columns are one: load, connect, cost, idle clock, charts, events, properties. */
export function OverviewTab({ instance }: { readonly instance: Instance }) {
  const { id, queue } = instance
  const navigate = useNavigate()
  const [at, read] = useState<number | null>(null)
  const metrics = useQuery({
    ...metricsQuery(id, 'hour'),
    select: lastHourOf,
    placeholderData: keepPreviousData,
  })
  const { data: now } = useQuery({ ...metricsNowQuery(id), enabled: instance.status === 'running' })
  const hour = metrics.data && withNow(metrics.data, instance.status === 'running' ? now : undefined)
  const reading = hour && { instance, hour, at, onRead: read }
  return (
    <div className="flex flex-col gap-6">
      <StateNotice instance={instance} onGone={() => void navigate({ to: '/console/instances' })} />
      <div className="flex flex-col gap-6 lg:flex-row lg:items-start">
        <div className="contents lg:flex lg:min-w-0 lg:grow lg:basis-0 lg:flex-col lg:gap-6">
          {reading ? (
            <Loads {...reading} />
          ) : (
            <div className="max-lg:order-1">
              <QueryView
                query={metrics}
                failed="The figures could not be loaded"
                consequence="The instance itself is not affected."
                skeleton={<Skeleton className="h-chart" />}
              >
                {() => null}
              </QueryView>
            </div>
          )}
          {reading && <HourCharts {...reading} />}
          {!queue?.is_new && <LatestEvents id={id} />}
        </div>
        <div className="contents lg:flex lg:w-full lg:max-w-aside lg:shrink-0 lg:flex-col lg:gap-4">
          <CostCard instance={instance} />
          <ConnectCard instance={instance} />
          <IdleCard id={id} />
          <PropertiesCard instance={instance} />
        </div>
      </div>
    </div>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { StatusMark } from '../../../ui/StatusMark.tsx'
import { TabPanel, Tabs } from '../../../ui/Tabs.tsx'
import { Tape } from '../../../ui/Tape.tsx'
import { readOne } from '../../list/read-search.ts'
import { useSearchState } from '../../list/search-state.ts'
import { PageHeading } from '../../shell/PageHeading.tsx'
import { QueryView } from '../../shell/QueryView.tsx'
import { kindOf, statusWords } from '../instance-status.ts'
import { openDialog } from '../instances-search.ts'
import { askAgainMs, instanceQuery } from '../queries.ts'
import { PortsTab } from '../ports/PortsTab.tsx'
import { RunningFor } from '../RunningFor.tsx'
import { EventsTab } from './EventsTab.tsx'
import { LogsTab } from './LogsTab.tsx'
import { MetricsTab } from './MetricsTab.tsx'

const tabs = ['metrics', 'logs', 'ports', 'events'] as const
const tabWords = { metrics: 'Metrics', logs: 'Logs', ports: 'Ports', events: 'Events' }

/** One instance at work: what it uses, what it writes, what happened to it. */
export function InstanceScreen() {
  const { id = '' } = useParams({ strict: false })
  const [address, change] = useSearchState()
  // Ports have an address of their own.
  const isPorts = useLocation().pathname.endsWith('/ports')
  const navigate = useNavigate()
  const tab = isPorts ? 'ports' : (readOne(tabs, address['tab']) ?? 'metrics')
  const show = (next: (typeof tabs)[number]) => {
    const search = { tab: next === 'metrics' ? undefined : next }
    if (next === 'ports') void navigate({ to: '/console/instances/$id/ports', params: { id }, replace: true })
    else if (isPorts) void navigate({ to: '/console/instances/$id', params: { id }, search, replace: true })
    else change({ ...search, search: '', range: '' })
  }
  const query = useQuery({
    ...instanceQuery(id),
    refetchInterval: ({ state }) => askAgainMs(state.data ? [state.data] : []),
  })
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-col gap-1">
        <Link to="/console/instances" className="link inline-flex min-h-6 items-center self-start">
          Instances
        </Link>
        <PageHeading
          actions={
            query.data && (
              <Link
                to="/console/instances"
                search={openDialog('details', id)}
                className="link inline-flex min-h-6 items-center"
              >
                View Details
              </Link>
            )
          }
        >
          {query.data ? <Tape>{query.data.name}</Tape> : 'Instance'}
        </PageHeading>
      </div>
      <QueryView
        query={query}
        failed="This instance cannot be shown"
        consequence="It may have been deleted; its history stands in the logs."
        skeleton={<Skeleton className="h-chart" />}
      >
        {instance => (
          <>
            <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
              <StatusMark kind={kindOf(instance)} detail={<RunningFor instance={instance} />}>
                {statusWords[instance.status]}
              </StatusMark>
              <span className="text-muted">
                {instance.gpu_count}× {instance.gpu_type}, {instance.region}
              </span>
            </div>
            <Tabs
              label="Instance"
              tabs={tabs.map(value => ({ value, label: tabWords[value] }))}
              value={tab}
              onValueChange={show}
            >
              <TabPanel value="metrics">
                <MetricsTab instance={instance} />
              </TabPanel>
              <TabPanel value="logs">
                <LogsTab instance={instance} />
              </TabPanel>
              <TabPanel value="ports">
                <PortsTab instance={instance} />
              </TabPanel>
              <TabPanel value="events">
                <EventsTab instance={instance} />
              </TabPanel>
            </Tabs>
          </>
        )}
      </QueryView>
    </div>
  )
}

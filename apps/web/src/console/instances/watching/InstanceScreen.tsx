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
import { SettingsTab } from '../settings/SettingsTab.tsx'
import { EventsTab } from './EventsTab.tsx'
import { LogsTab } from './LogsTab.tsx'
import { MetricsTab } from './MetricsTab.tsx'

const searchTabs = ['metrics', 'logs', 'events'] as const
/** With an address of their own. */
const pathTabs = ['ports', 'settings'] as const
const tabs = ['metrics', 'logs', 'ports', 'events', 'settings'] as const
type Tab = (typeof tabs)[number]
const tabWords: Record<Tab, string> = {
  metrics: 'Metrics',
  logs: 'Logs',
  ports: 'Ports',
  events: 'Events',
  settings: 'Settings',
}

/** One instance at work: what it uses, what it writes, what happened to it, what it does by itself. */
export function InstanceScreen() {
  const { id = '' } = useParams({ strict: false })
  const [address, change] = useSearchState()
  const inPath = useLocation({
    select: ({ pathname }) => readOne(pathTabs, /\/(\w+)\/?$/.exec(pathname)?.[1]),
  })
  const navigate = useNavigate()
  const tab: Tab = inPath ?? readOne(searchTabs, address['tab']) ?? 'metrics'
  const show = (value: Tab) => {
    const options = { params: { id }, replace: true, resetScroll: false } as const
    const path = readOne(pathTabs, value)
    if (path) void navigate({ to: `/console/instances/$id/${path}`, ...options })
    else if (inPath)
      void navigate({
        to: '/console/instances/$id',
        search: value === 'metrics' ? {} : { tab: value },
        ...options,
      })
    else change({ tab: value === 'metrics' ? '' : value, search: '', range: '' })
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
              <TabPanel value="settings">
                <SettingsTab instance={instance} />
              </TabPanel>
            </Tabs>
          </>
        )}
      </QueryView>
    </div>
  )
}

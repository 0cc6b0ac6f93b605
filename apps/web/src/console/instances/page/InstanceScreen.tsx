import { IngotError } from '@ingot/contracts/errors'
import type { Instance } from '@ingot/contracts/instances'
import { useQuery } from '@tanstack/react-query'
import { Link, Navigate, useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { useRef } from 'react'
import { buttonClass } from '../../../ui/button-class.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { TabPanel, Tabs } from '../../../ui/Tabs.tsx'
import { Tape } from '../../../ui/Tape.tsx'
import { readOne } from '../../list/read-search.ts'
import { useSearchState } from '../../list/search-state.ts'
import { Files } from '../../files/Files.tsx'
import { instanceSource } from '../../files/source.ts'
import { PageHeading } from '../../shell/PageHeading.tsx'
import { QueryView } from '../../shell/QueryView.tsx'
import { useTitle } from '../../shell/title.ts'
import { InstanceDialogs } from '../InstanceDialogs.tsx'
import { instanceDialogs } from '../instances-search.ts'
import { PortsTab } from '../ports/PortsTab.tsx'
import { askAgainMs, instanceQuery } from '../queries.ts'
import { SettingsTab } from '../settings/SettingsTab.tsx'
import { TerminalTab } from '../terminal/TerminalTab.tsx'
import { EventsTab } from '../watching/EventsTab.tsx'
import { LogsTab } from '../watching/LogsTab.tsx'
import { MetricsTab } from '../watching/MetricsTab.tsx'
import { InstanceActions, InstanceLine } from './InstanceHead.tsx'
import { type InstanceTab, instanceTabs, movedTab, pathOf, tabOf, tabWords } from './instance-tabs.ts'
import { OverviewTab } from './OverviewTab.tsx'

const tabList = instanceTabs.map(value => ({ value, label: tabWords[value] }))
const isGone = (error: unknown) =>
  error instanceof IngotError && /^(not_found|validation_failed)$/.test(error.code)

/** One instance: how it is, what it costs, the way into it, and all else under a tab of its own address. */
export function InstanceScreen() {
  const { id = '' } = useParams({ strict: false })
  const [address, change] = useSearchState()
  const tab = useLocation({ select: ({ pathname }) => tabOf(pathname) })
  const navigate = useNavigate()
  const byKeys = useRef(false)
  const query = useQuery({
    ...instanceQuery(id),
    refetchInterval: ({ state }) =>
      isGone(state.error) ? false : askAgainMs(state.data ? [state.data] : []),
  })
  const instance = isGone(query.error) ? undefined : query.data
  useTitle(instance && `${instance.name} · ${tabWords[tab]}`)
  const moved = movedTab(tab, address)
  if (moved) {
    const { tab: _, ...search } = address
    return <Navigate to={pathOf(moved)} params={{ id }} search={search} replace />
  }
  const goesByKeys = () => byKeys.current
  const dialog = readOne(instanceDialogs, address['dialog'])
  return (
    // It only notes which of the two it was; the controls inside take both.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      className="flex flex-col gap-4"
      onKeyDownCapture={() => (byKeys.current = true)}
      onPointerDownCapture={() => (byKeys.current = false)}
    >
      <div className="flex flex-col gap-1">
        <Link to="/console/instances" className="link inline-flex min-h-6 items-center self-start">
          Instances
        </Link>
        <PageHeading
          lead={instance && <InstanceLine instance={instance} />}
          actions={
            instance && (
              <InstanceActions
                instance={instance}
                onOpen={opened => change({ dialog: opened }, { step: true })}
              />
            )
          }
        >
          {instance ? <Tape>{instance.name}</Tape> : 'Instance'}
        </PageHeading>
      </div>
      {isGone(query.error) ? (
        <EmptyState
          title="There is no such instance"
          action={
            <Link to="/console/instances" className={buttonClass()}>
              All instances
            </Link>
          }
        >
          It was deleted, or it is not yours. What happened to instances of yours stands in{' '}
          <Link to="/console/logs" search={{ instance: id }} className="link">
            the logs
          </Link>
          .
        </EmptyState>
      ) : (
        <QueryView
          query={query}
          failed="This instance cannot be shown"
          consequence="It goes on as it is."
          skeleton={<Skeleton className="h-chart" />}
        >
          {shown => (
            <Tabs
              label="Instance"
              tabs={tabList}
              value={tab}
              onValueChange={value =>
                void navigate({ to: pathOf(value), params: { id }, search: {}, resetScroll: false })
              }
            >
              <TabPanel value={tab}>
                <Shown tab={tab} instance={shown} goesByKeys={goesByKeys} />
              </TabPanel>
            </Tabs>
          )}
        </QueryView>
      )}
      <InstanceDialogs open={dialog ? { dialog, id } : null} onClose={() => change({ dialog: '' })} />
    </div>
  )
}

interface ShownProps {
  readonly tab: InstanceTab
  readonly instance: Instance
  readonly goesByKeys: () => boolean
}

function Shown({ tab, instance, goesByKeys }: ShownProps) {
  switch (tab) {
    case 'overview':
      return <OverviewTab instance={instance} />
    case 'terminal':
      return <TerminalTab key={instance.id} instance={instance} goesByKeys={goesByKeys} />
    case 'files':
      return <Files key={instance.id} source={instanceSource(instance.id)} />
    case 'logs':
      return <LogsTab instance={instance} />
    case 'metrics':
      return <MetricsTab instance={instance} />
    case 'ports':
      return <PortsTab instance={instance} />
    case 'events':
      return <EventsTab instance={instance} />
    case 'settings':
      return <SettingsTab instance={instance} />
  }
}

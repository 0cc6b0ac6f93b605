import { useState } from 'react'
import { RefreshCw } from 'lucide-react'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { ExportButton } from '../list/ExportButton.tsx'
import { ListFrame } from '../list/ListFrame.tsx'
import { LoadMore } from '../list/LoadMore.tsx'
import { NoMatch } from '../list/NoMatch.tsx'
import { useSearchState } from '../list/search-state.ts'
import { orMore, usePages } from '../list/use-pages.ts'
import { api } from '../shell/api.ts'
import { CopyCall } from '../shell/CopyCall.tsx'
import { PageHeading } from '../shell/PageHeading.tsx'
import { LogFilters } from './LogFilters.tsx'
import { LogSummary } from './LogSummary.tsx'
import { LogTable } from './LogTable.tsx'
import { readLogSearch } from './log-words.ts'

/**
 * What happened to the account's instances and volumes, newest first: the last hundred events, and a hundred more at a time. The
 * service searches and filters all of them.
 */
export function LogsScreen() {
  const [address, change] = useSearchState()
  const filter = readLogSearch(address)
  const { search, kind, action, instance, volume } = filter
  const isFiltered = Boolean(search.trim() || kind || action || instance || volume)
  const wanted = {
    kind,
    action,
    instance_id: instance,
    volume_id: volume,
    search: search.trim() || undefined,
  }
  const [isRefreshing, setRefreshing] = useState(false)
  const { list, rows } = usePages({
    queryKey: ['activity', 'list', filter],
    pageSize: 100,
    fetch: (page, options) => api.activity.usageLogs({ ...page, ...wanted }, options),
    keepRows: true,
  })
  const refresh = async () => {
    setRefreshing(true)
    await list.refetch()
    setRefreshing(false)
  }
  return (
    <div className="flex flex-col gap-6">
      <PageHeading
        actions={
          <>
            <Button
              onClick={() => void refresh()}
              busy={isRefreshing}
              icon={<RefreshCw size={16} aria-hidden />}
            >
              Refresh
            </Button>
            <ExportButton fetch={() => api.activity.export(wanted)} isEmpty={rows.length === 0}>
              Export Logs
            </ExportButton>
            <ExportButton
              fetch={() => api.activity.export({ ...wanted, format: 'json' })}
              isEmpty={rows.length === 0}
            >
              Export JSON
            </ExportButton>
            <CopyCall call="activity.usageLogs" values={wanted} />
          </>
        }
      >
        Activity Logs
      </PageHeading>
      <LogSummary />
      <section aria-label="Events" className="flex flex-col gap-3">
        <ListFrame
          filters={<LogFilters filter={filter} onChange={change} />}
          count={list.data ? `${orMore(rows.length, list)} shown` : ''}
          query={list}
          failed="The activity log could not be loaded"
          consequence="Your instances and volumes are not affected."
          skeleton={<SkeletonRows rows={5} columns={5} />}
          isEmpty={rows.length === 0}
          isFiltered={isFiltered}
          noMatch={
            <NoMatch
              title="No activity logs"
              onClear={() => change({ search: '', action: '', instance: '', volume: '' })}
            >
              No event matches these filters.
            </NoMatch>
          }
          empty={
            <EmptyState title="No activity logs">
              Every start, stop and charge of an instance, and whatever becomes of a volume, is written down
              here with its time and its cost.
            </EmptyState>
          }
          more={<LoadMore list={list}>Load older events</LoadMore>}
        >
          <LogTable logs={rows} refreshing={list.isPlaceholderData} />
        </ListFrame>
      </section>
    </div>
  )
}

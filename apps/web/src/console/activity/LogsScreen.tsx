import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { RefreshCw } from 'lucide-react'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { api } from '../shell/api.ts'
import { downloadCsv } from '../list/csv.ts'
import { PageHeading } from '../shell/PageHeading.tsx'
import { QueryView } from '../shell/QueryView.tsx'
import { useSearchState } from '../list/search-state.ts'
import { logsCsv } from './logs-csv.ts'
import { LogFilters } from './LogFilters.tsx'
import { LogSummary } from './LogSummary.tsx'
import { LogTable } from './LogTable.tsx'
import { matchLogs, readLogSearch } from './log-words.ts'

const pageSize = 100

/** What happened to the account's instances, newest first: the last hundred events, and a hundred more at a time. */
export function LogsScreen() {
  const [address, change] = useSearchState()
  const filter = readLogSearch(address)
  const [isRefreshing, setRefreshing] = useState(false)
  const logs = useInfiniteQuery({
    queryKey: ['activity', 'list', filter.instance],
    queryFn: ({ pageParam, signal }) =>
      api.activity.usageLogs(
        { limit: pageSize, cursor: pageParam, instance_id: filter.instance },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })
  const loaded = logs.data?.pages.flatMap(page => page.items) ?? []
  const shown = matchLogs(loaded, filter)
  const refresh = async () => {
    setRefreshing(true)
    await logs.refetch()
    setRefreshing(false)
  }
  const clear = () => change({ search: '', action: '', instance: '' })
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
            <Button
              onClick={() => downloadCsv('activity.csv', logsCsv(shown))}
              disabledReason={shown.length > 0 ? null : 'There is nothing to export'}
            >
              Export Logs
            </Button>
          </>
        }
      >
        Activity Logs
      </PageHeading>
      <LogSummary logs={logs.data && loaded} hasMore={logs.hasNextPage} />
      <section aria-label="Events" className="flex flex-col gap-3">
        <LogFilters
          filter={filter}
          onChange={change}
          loaded={loaded}
          count={logs.data && `${shown.length} of ${loaded.length}${logs.hasNextPage ? '+' : ''}`}
        />
        <QueryView
          query={logs}
          failed="The activity log could not be loaded"
          consequence="Your instances are not affected."
          skeleton={<SkeletonRows rows={5} columns={5} />}
        >
          {() =>
            shown.length > 0 ? (
              <LogTable logs={shown} refreshing={logs.isPlaceholderData} />
            ) : (
              <NoLogs isFiltered={loaded.length > 0 || filter.instance !== undefined} onClear={clear} />
            )
          }
        </QueryView>
        {logs.hasNextPage && (
          <div>
            <Button
              onClick={() => void logs.fetchNextPage()}
              busy={logs.isFetchingNextPage}
              busyLabel="Loading..."
            >
              Load older events
            </Button>
          </div>
        )}
      </section>
    </div>
  )
}

interface NoLogsProps {
  readonly isFiltered: boolean
  readonly onClear: () => void
}

function NoLogs({ isFiltered, onClear }: NoLogsProps) {
  if (isFiltered)
    return (
      <EmptyState title="No activity logs" action={<Button onClick={onClear}>Clear filters</Button>}>
        Nothing that is loaded matches these filters.
      </EmptyState>
    )
  return (
    <EmptyState title="No activity logs">
      Every start, stop and charge of an instance is written down here, with its time and its cost.
    </EmptyState>
  )
}

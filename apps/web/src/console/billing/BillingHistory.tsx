import type { BillingEntry } from '@ingot/contracts/billing'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { api } from '../shell/api.ts'
import { downloadCsv, toCsv } from '../list/csv.ts'
import { QueryView } from '../shell/QueryView.tsx'
import { useSearchState } from '../list/search-state.ts'
import { useWallet } from '../wallet/wallet.tsx'
import { BillingFilters } from './BillingFilters.tsx'
import { BillingTable } from './BillingTable.tsx'
import { readBillingSearch } from './billing-search.ts'

const pageSize = 50

/** Every movement of the wallet, newest first, fifty at a time. */
export function BillingHistory() {
  const [address, change] = useSearchState()
  const filter = readBillingSearch(address)
  const { search, status } = filter
  const history = useInfiniteQuery({
    queryKey: ['billing', 'list', filter],
    queryFn: ({ pageParam, signal }) =>
      api.billing.list(
        { limit: pageSize, cursor: pageParam, status, search: search || undefined },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })
  const shown = history.data?.pages.flatMap(page => page.items) ?? []
  const isFiltered = search !== '' || status !== undefined
  return (
    <section aria-labelledby="history" className="flex flex-col gap-3">
      <h2 id="history" className="text-heading">
        Billing history
      </h2>
      <BillingFilters
        filter={filter}
        onChange={change}
        count={history.data && `${shown.length}${history.hasNextPage ? '+' : ''} shown`}
        onExport={shown.length > 0 ? () => downloadCsv('billing.csv', billingCsv(shown)) : null}
      />
      <QueryView
        query={history}
        failed="The billing history could not be loaded"
        consequence="Your balance and your instances are not affected."
        skeleton={<SkeletonRows rows={8} columns={4} />}
      >
        {() =>
          shown.length > 0 ? (
            <BillingTable entries={shown} refreshing={history.isPlaceholderData} />
          ) : isFiltered ? (
            <NoMatch search={search} status={status} onClear={() => change({ search: '', status: '' })} />
          ) : (
            <NoEntries />
          )
        }
      </QueryView>
      {history.hasNextPage && (
        <div>
          <Button
            onClick={() => void history.fetchNextPage()}
            busy={history.isFetchingNextPage}
            busyLabel="Loading..."
          >
            Load more
          </Button>
        </div>
      )}
    </section>
  )
}

const billingCsv = (entries: readonly BillingEntry[]): string =>
  toCsv(
    ['time', 'description', 'status', 'amount_usd', 'instance_id', 'id'],
    entries.map(each => [
      each.created_at,
      each.description,
      each.status,
      each.amount,
      each.instance_id,
      each.id,
    ]),
  )

interface NoMatchProps {
  readonly search: string
  readonly status: string | undefined
  readonly onClear: () => void
}

function NoMatch({ search, status, onClear }: NoMatchProps) {
  const what = [status && `with status ${status}`, search && `matching “${search}”`].filter(Boolean).join(' ')
  return (
    <EmptyState
      title={`No transactions ${what}.`}
      action={<Button onClick={onClear}>Clear filters</Button>}
    />
  )
}

function NoEntries() {
  const { addFunds } = useWallet()
  return (
    <EmptyState
      title="Every charge and every deposit stands here, exact to the millionth of a dollar."
      action={<Button onClick={() => addFunds()}>Add Funds</Button>}
    >
      There are none yet.
    </EmptyState>
  )
}

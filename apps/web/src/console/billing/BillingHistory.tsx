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
import { useWallet } from '../wallet/wallet.tsx'
import { BillingFilters } from './BillingFilters.tsx'
import { BillingTable } from './BillingTable.tsx'
import { type BillingFilter, readBillingSearch } from './billing-search.ts'
import { Receipt } from './Receipt.tsx'

/** Every movement of the wallet, newest first, fifty at a time. */
export function BillingHistory() {
  const [address, change] = useSearchState()
  const filter = readBillingSearch(address)
  const { search, status } = filter
  const wanted = { status, search: search || undefined }
  const { list, rows } = usePages({
    queryKey: ['billing', 'list', filter],
    pageSize: 50,
    fetch: (page, options) => api.billing.list({ ...page, ...wanted }, options),
    keepRows: true,
  })
  return (
    <section aria-labelledby="history" className="flex flex-col gap-3">
      <h2 id="history" className="text-heading">
        Billing history
      </h2>
      <ListFrame
        filters={<BillingFilters filter={filter} onChange={change} />}
        count={list.data ? `${orMore(rows.length, list)} shown` : ''}
        action={
          <ExportButton fetch={() => api.billing.export(wanted)} isEmpty={rows.length === 0}>
            Export CSV
          </ExportButton>
        }
        query={list}
        failed="The billing history could not be loaded"
        consequence="Your balance and your instances are not affected."
        skeleton={<SkeletonRows rows={8} columns={4} />}
        isEmpty={rows.length === 0}
        isFiltered={search !== '' || status !== undefined}
        noMatch={<NoMatch title={noMatch(filter)} onClear={() => change({ search: '', status: '' })} />}
        empty={<NoEntries />}
        more={<LoadMore list={list} />}
      >
        <BillingTable
          entries={rows}
          refreshing={list.isPlaceholderData}
          onOpen={({ id }) => change({ receipt: id }, { step: true })}
        />
      </ListFrame>
      <Receipt />
    </section>
  )
}

function noMatch({ search, status }: BillingFilter): string {
  const what = [status && `with status ${status}`, search && `matching “${search}”`].filter(Boolean).join(' ')
  return `No transactions ${what}.`
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

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
import { aboutWords, type BillingFilter, kindWords, noFilter, readBillingSearch } from './billing-search.ts'
import { Receipt } from './Receipt.tsx'
import { useIsWide } from './use-is-wide.ts'
import { CopyCall } from '../shell/CopyCall.tsx'

/** Every movement of the wallet, newest first, fifty at a time. */
export function BillingHistory() {
  const [address, change] = useSearchState()
  const filter = readBillingSearch(address)
  const { search, ...chosen } = filter
  const wanted = { ...chosen, search: search || undefined }
  const isWide = useIsWide()
  const isDocked = isWide && address['receipt'] !== undefined
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
          <div className="flex flex-wrap gap-2">
            <CopyCall call="billing.list" values={wanted} />
            <ExportButton fetch={() => api.billing.export(wanted)} isEmpty={rows.length === 0}>
              Export CSV
            </ExportButton>
            <ExportButton
              fetch={() => api.billing.export({ ...wanted, format: 'focus' })}
              isEmpty={rows.length === 0}
            >
              Export FOCUS
            </ExportButton>
          </div>
        }
        query={list}
        failed="The billing history could not be loaded"
        consequence="Your balance and your instances are not affected."
        skeleton={<SkeletonRows rows={8} columns={4} />}
        isEmpty={rows.length === 0}
        isFiltered={search !== '' || Object.values(chosen).some(Boolean)}
        noMatch={<NoMatch title={noMatch(filter)} onClear={() => change(noFilter)} />}
        empty={<NoEntries />}
        more={<LoadMore list={list} />}
      >
        <div
          className={
            isDocked ? 'grid grid-cols-[minmax(0,1fr)_var(--container-aside)] items-start gap-4' : ''
          }
        >
          <BillingTable
            entries={rows}
            refreshing={list.isPlaceholderData}
            onOpen={({ id }) => change({ receipt: id }, { step: true })}
            // Beside the list the receipt follows the line that has the focus.
            onCurrent={
              isDocked ? ({ id }) => id !== address['receipt'] && change({ receipt: id }) : undefined
            }
          />
          {isDocked && <Receipt isDocked />}
        </div>
      </ListFrame>
      {!isDocked && <Receipt />}
    </section>
  )
}

function noMatch({ search, status, kind, about, instance, from, to }: BillingFilter): string {
  const what = [
    kind && `of the kind “${kindWords[kind]}”`,
    status && `with status ${status}`,
    about && `about ${aboutWords[about].toLowerCase()}`,
    instance && 'of this instance',
    from && `from ${from}`,
    to && `to ${to}`,
    search && `matching “${search}”`,
  ]
  return `No transactions ${what.filter(Boolean).join(' ')}.`
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

import type { AdminBillingEntry } from '@ingot/contracts/admin/billing'
import type { AdminCounts } from '@ingot/contracts/admin/overview'
import { billingLineKinds, billingStatuses } from '@ingot/contracts/billing'
import { Badge } from '../../../ui/Badge.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { ExactMoney } from '../../../ui/ExactMoney.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { Table } from '../../../ui/Table.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { Time } from '../../../ui/Time.tsx'
import { kindWords, statusTones, statusWords } from '../../billing/billing-search.ts'
import { DayRange } from '../../list/DayRange.tsx'
import { ExportButton } from '../../list/ExportButton.tsx'
import { FilterSelect } from '../../list/FilterSelect.tsx'
import { ListFrame } from '../../list/ListFrame.tsx'
import { LoadMore } from '../../list/LoadMore.tsx'
import { NoMatch } from '../../list/NoMatch.tsx'
import { SearchBox } from '../../list/SearchBox.tsx'
import { useSearchState } from '../../list/search-state.ts'
import { api } from '../../shell/api.ts'
import { useAllBilling } from '../all-queries.ts'
import { shownText } from './count-text.ts'
import { OfUser } from './OfUser.tsx'
import { noSearch, opening, readBilling } from './tab-search.ts'
import { UserLink } from './UserLink.tsx'

const statusOptions = billingStatuses.map(value => ({ value, label: statusWords[value] }))
const kindOptions = billingLineKinds.map(value => ({ value, label: kindWords[value] }))

/** The bills of everybody, 20 lines at a time. */
export function BillingTab({ hits }: { readonly hits: AdminCounts['billing'] | undefined }) {
  const [address, change] = useSearchState()
  const filter = readBilling(address)
  const { search, status, kind, user_id, from, to } = filter
  const { list, rows } = useAllBilling(filter)
  const isFiltered = Boolean(status ?? kind ?? user_id ?? from ?? to)
  return (
    <section aria-label="Billing" className="flex flex-col gap-3">
      <ListFrame
        filters={
          <>
            <SearchBox
              label="Search by description, email or id"
              value={address['search'] ?? ''}
              onChange={text => change({ search: text })}
              clearable
            />
            <FilterSelect
              label="Status"
              any="any"
              options={statusOptions}
              value={status}
              onChange={value => change({ status: value })}
            />
            <FilterSelect
              label="Kind"
              any="any"
              options={kindOptions}
              value={kind}
              onChange={value => change({ kind: value })}
            />
            <DayRange from={from} to={to} onChange={change} />
            <OfUser id={user_id} onChange={change} />
          </>
        }
        count={list.data ? shownText(rows.length, list, { hits, isFiltered, by: 'newest first' }) : ''}
        action={
          <ExportButton fetch={() => api.admin.exportBilling(filter)} isEmpty={rows.length === 0}>
            Export CSV
          </ExportButton>
        }
        query={list}
        failed="Failed to load dashboard data"
        consequence="Balances are not affected."
        skeleton={<SkeletonRows rows={8} columns={5} />}
        isEmpty={rows.length === 0}
        isFiltered={isFiltered || search !== undefined}
        noMatch={
          <NoMatch
            title={search ? `No line matches “${search}”.` : 'No line matches.'}
            onClear={() => change(noSearch)}
          />
        }
        empty={<EmptyState title="Every charge and every credit of every customer stands here." />}
        more={<LoadMore list={list} />}
      >
        <Table
          label="Billing"
          columns={columns}
          rows={rows}
          rowKey={({ id }) => id}
          onOpen={({ user_id: id }) => change(opening('user', id), { step: true })}
          refreshing={list.isPlaceholderData}
        />
      </ListFrame>
    </section>
  )
}

const columns: readonly Column<AdminBillingEntry>[] = [
  {
    id: 'description',
    header: 'Description',
    phone: 'lead',
    className: 'max-sm:basis-1/2 max-sm:min-w-0',
    cell: ({ description }) => <span className="font-medium">{description}</span>,
  },
  {
    id: 'user',
    header: 'User',
    className: 'min-w-0 sm:max-w-menu truncate',
    cell: ({ user_id, user_email }) => <UserLink id={user_id} email={user_email} />,
  },
  {
    id: 'kind',
    header: 'Kind',
    phone: 'hidden',
    className: 'max-lg:hidden sm:w-px whitespace-nowrap text-muted',
    cell: ({ kind }) => kindWords[kind],
  },
  {
    id: 'status',
    header: 'Status',
    className: 'sm:w-px',
    cell: ({ status }) => <Badge tone={statusTones[status]}>{statusWords[status]}</Badge>,
  },
  {
    id: 'time',
    header: 'Time',
    numeric: true,
    className: 'sm:w-px text-muted',
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  {
    id: 'amount',
    header: 'Amount',
    numeric: true,
    phone: 'aside',
    className: 'sm:w-px',
    cell: ({ amount }) => (
      <span className={amount.startsWith('-') ? undefined : 'font-medium text-ok'}>
        <ExactMoney value={amount} />
      </span>
    ),
  },
]

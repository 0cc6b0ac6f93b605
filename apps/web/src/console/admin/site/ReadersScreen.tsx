import { type PlannedProduct, plannedProducts } from '@ingot/contracts/site'
import type { Subscriber, Waiting } from '@ingot/contracts/site/readers'
import { Badge } from '../../../ui/Badge.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { Table } from '../../../ui/Table.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { TabPanel, Tabs } from '../../../ui/Tabs.tsx'
import { Time } from '../../../ui/Time.tsx'
import { ExportButton } from '../../list/ExportButton.tsx'
import { FilterSelect } from '../../list/FilterSelect.tsx'
import { ListFrame } from '../../list/ListFrame.tsx'
import { LoadMore } from '../../list/LoadMore.tsx'
import { NoMatch } from '../../list/NoMatch.tsx'
import { SearchBox } from '../../list/SearchBox.tsx'
import { useSearchState } from '../../list/search-state.ts'
import { orMore } from '../../list/use-pages.ts'
import { api } from '../../shell/api.ts'
import { PageHeading } from '../../shell/PageHeading.tsx'
import { AdminOnly } from '../AdminOnly.tsx'
import { useSubscribers, useWaitlist } from './queries.ts'

export function ReadersScreen() {
  return (
    <AdminOnly>
      <div className="flex flex-col gap-6">
        <PageHeading lead="Who asked for new blog posts, and who wants to hear when a planned product is there.">
          Subscribers
        </PageHeading>
        <Lists />
      </div>
    </AdminOnly>
  )
}

const tabs = [
  { value: 'subscribers', label: 'Subscribers' },
  { value: 'waiting', label: 'Waiting lists' },
] as const

function Lists() {
  const [address, change] = useSearchState()
  const tab = tabs.find(({ value }) => value === address['list'])?.value ?? 'subscribers'
  return (
    <Tabs
      label="Lists"
      tabs={tabs}
      value={tab}
      onValueChange={value =>
        change(
          { list: value === 'subscribers' ? '' : value, q: '', confirmed: '', product: '' },
          { step: true },
        )
      }
    >
      <TabPanel value="subscribers">
        <Subscribers />
      </TabPanel>
      <TabPanel value="waiting">
        <WaitingLists />
      </TabPanel>
    </Tabs>
  )
}

const confirmedOptions = [
  { value: 'yes', label: 'Confirmed' },
  { value: 'no', label: 'Not confirmed' },
] as const

function Subscribers() {
  const [address, change] = useSearchState()
  const said = confirmedOptions.find(({ value }) => value === address['confirmed'])?.value
  const confirmed = said === undefined ? undefined : said === 'yes'
  const wish = { confirmed, search: address['q'] || undefined }
  const { list, rows } = useSubscribers(wish)
  return (
    <section aria-label="Subscribers" className="flex flex-col gap-3">
      <ListFrame
        filters={
          <>
            <SearchBox label="Search addresses" value={address['q'] ?? ''} onChange={q => change({ q })} />
            <FilterSelect
              label="Confirmed"
              any="Any"
              options={confirmedOptions}
              value={said}
              onChange={value => change({ confirmed: value })}
            />
          </>
        }
        count={list.data ? `${orMore(rows.length, list)} shown` : ''}
        action={
          <ExportButton fetch={() => api.site.exportSubscribers(wish)} isEmpty={rows.length === 0}>
            Export CSV
          </ExportButton>
        }
        query={list}
        failed="The subscribers could not be loaded"
        skeleton={<SkeletonRows rows={6} columns={3} />}
        isEmpty={rows.length === 0}
        isFiltered={said !== undefined || wish.search !== undefined}
        noMatch={<NoMatch title="No subscriber fits." onClear={() => change({ q: '', confirmed: '' })} />}
        empty={
          <EmptyState title="Who asks for new blog posts stands here until they unsubscribe.">
            Nobody has asked yet.
          </EmptyState>
        }
        more={<LoadMore list={list} />}
      >
        <Table label="Subscribers" columns={subscriberColumns} rows={rows} rowKey={({ id }) => id} />
      </ListFrame>
      <p className="text-muted">
        Write only to addresses that are confirmed: the others were typed by anybody.
      </p>
    </section>
  )
}

const subscriberColumns: readonly Column<Subscriber>[] = [
  {
    id: 'email',
    header: 'Address',
    phone: 'lead',
    className: 'min-w-0 truncate max-sm:basis-0 sm:max-w-0 sm:w-1/2',
    cell: ({ email }) => <span title={email}>{email}</span>,
  },
  {
    id: 'confirmed',
    header: 'Confirmed',
    phone: 'aside',
    className: 'sm:w-px',
    cell: ({ confirmed_at }) =>
      confirmed_at ? <Badge tone="ok">Confirmed</Badge> : <Badge tone="warn">Not confirmed</Badge>,
  },
  {
    id: 'since',
    header: 'Asked',
    className: 'sm:w-px',
    cell: ({ created_at }) => (
      <span className="text-muted">
        <Time at={created_at} />
      </span>
    ),
  },
]

const productOptions = Object.entries(plannedProducts).map(([value, label]) => ({
  value: value as PlannedProduct,
  label,
}))

function WaitingLists() {
  const [address, change] = useSearchState()
  const product = productOptions.find(({ value }) => value === address['product'])?.value
  const wish = { product, search: address['q'] || undefined }
  const { list, rows } = useWaitlist(wish)
  return (
    <section aria-label="Waiting lists" className="flex flex-col gap-3">
      <ListFrame
        filters={
          <>
            <SearchBox label="Search addresses" value={address['q'] ?? ''} onChange={q => change({ q })} />
            <FilterSelect
              label="Product"
              any="Any"
              options={productOptions}
              value={product}
              onChange={value => change({ product: value })}
            />
          </>
        }
        count={list.data ? `${orMore(rows.length, list)} shown` : ''}
        action={
          <ExportButton fetch={() => api.site.exportWaitlist(wish)} isEmpty={rows.length === 0}>
            Export CSV
          </ExportButton>
        }
        query={list}
        failed="The waiting lists could not be loaded"
        skeleton={<SkeletonRows rows={6} columns={3} />}
        isEmpty={rows.length === 0}
        isFiltered={product !== undefined || wish.search !== undefined}
        noMatch={<NoMatch title="Nobody fits." onClear={() => change({ q: '', product: '' })} />}
        empty={
          <EmptyState title="Who wants to hear when a planned product is there stands here.">
            Nobody waits yet.
          </EmptyState>
        }
        more={<LoadMore list={list} />}
      >
        <Table
          label="Waiting lists"
          columns={waitingColumns}
          rows={rows}
          rowKey={each => `${each.product} ${each.email}`}
        />
      </ListFrame>
    </section>
  )
}

const waitingColumns: readonly Column<Waiting>[] = [
  {
    id: 'email',
    header: 'Address',
    phone: 'lead',
    className: 'min-w-0 truncate max-sm:basis-0 sm:max-w-0 sm:w-1/2',
    cell: ({ email }) => <span title={email}>{email}</span>,
  },
  {
    id: 'product',
    header: 'Product',
    cell: ({ product }) => plannedProducts[product as PlannedProduct] ?? product,
  },
  {
    id: 'since',
    header: 'Since',
    phone: 'aside',
    className: 'sm:w-px',
    cell: ({ created_at }) => (
      <span className="text-muted">
        <Time at={created_at} />
      </span>
    ),
  },
]

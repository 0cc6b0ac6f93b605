import type { AdminInstance } from '@ingot/contracts/admin/instances'
import type { AdminCounts } from '@ingot/contracts/admin/overview'
import { instanceStatuses } from '@ingot/contracts/instances'
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Money } from '../../../ui/Money.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { StatusMark } from '../../../ui/StatusMark.tsx'
import { Table } from '../../../ui/Table.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { Time } from '../../../ui/Time.tsx'
import { regionsQuery } from '../../catalog/queries.ts'
import { kindOf, reasonOf, statusWords } from '../../instances/instance-status.ts'
import { ExportButton } from '../../list/ExportButton.tsx'
import { FilterSelect } from '../../list/FilterSelect.tsx'
import { ListFrame } from '../../list/ListFrame.tsx'
import { LoadMore } from '../../list/LoadMore.tsx'
import { NoMatch } from '../../list/NoMatch.tsx'
import { RowLink } from '../../list/RowLink.tsx'
import { SearchBox } from '../../list/SearchBox.tsx'
import { useSearchState } from '../../list/search-state.ts'
import { api } from '../../shell/api.ts'
import { useInstanceActs } from '../acts/use-instance-acts.tsx'
import { useAllInstances } from '../all-queries.ts'
import { shownText } from './count-text.ts'
import { InstanceMenu } from './InstanceMenu.tsx'
import { OfUser } from './OfUser.tsx'
import { type InstanceFilter, noSearch, opening, readInstances, sortInAddress, sortOf } from './tab-search.ts'
import { UserLink } from './UserLink.tsx'

const statusOptions = instanceStatuses.map(value => ({ value, label: statusWords[value] }))
const byWords: Record<InstanceFilter['sort'], string> = {
  created: 'by day of deploy',
  name: 'by name',
  cost: 'by price',
  status: 'by status',
}

export function InstancesTab({ hits }: { readonly hits: AdminCounts['instances'] | undefined }) {
  const [address, change] = useSearchState()
  const filter = readInstances(address)
  const { sort, order: _, ...narrowed } = filter
  const { search, status, region, host, user_id } = narrowed
  const { list, rows } = useAllInstances(filter)
  const regions = useQuery(regionsQuery).data?.items ?? []
  const acts = useInstanceActs()
  const isFiltered = Boolean(status ?? region ?? host ?? user_id)
  return (
    <section aria-label="Instances" className="flex flex-col gap-3">
      <ListFrame
        filters={
          <>
            <SearchBox
              label="Search by name, email or id"
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
              label="Region"
              any="any"
              options={regions.map(({ id, name }) => ({ value: id, label: name }))}
              value={region}
              onChange={value => change({ region: value })}
            />
            <OfUser id={user_id} onChange={change} />
          </>
        }
        count={list.data ? shownText(rows.length, list, { hits, isFiltered, by: byWords[sort] }) : ''}
        action={
          <ExportButton fetch={() => api.admin.exportInstances(narrowed)} isEmpty={rows.length === 0}>
            Export CSV
          </ExportButton>
        }
        query={list}
        failed="Failed to load dashboard data"
        consequence="The instances themselves run on."
        skeleton={<SkeletonRows rows={8} columns={6} />}
        isEmpty={rows.length === 0}
        isFiltered={isFiltered || search !== undefined}
        noMatch={
          <NoMatch
            title={search ? `No instance matches “${search}”.` : 'No instance matches.'}
            onClear={() => change(noSearch)}
          />
        }
        empty={<EmptyState title="Whatever customers deploy stands here." />}
        more={<LoadMore list={list} />}
      >
        <Table
          label="Instances"
          columns={columns}
          rows={rows}
          rowKey={({ id }) => id}
          sort={sortOf(filter)}
          onSort={next => change(sortInAddress(next))}
          onOpen={({ id }) => change(opening('instance', id), { step: true })}
          renderMenu={instance => <InstanceMenu instance={instance} onAct={acts.ask} />}
          refreshing={list.isPlaceholderData}
        />
      </ListFrame>
      {acts.dialog}
    </section>
  )
}

const columns: readonly Column<AdminInstance>[] = [
  {
    id: 'name',
    header: 'Name',
    sortable: true,
    phone: 'lead',
    className: 'min-w-0 truncate max-sm:flex-1 sm:max-w-menu',
    cell: ({ id, name }) => <RowLink name={name} opens={opening('instance', id)} />,
  },
  {
    id: 'user',
    header: 'User',
    className: 'min-w-0 sm:max-w-menu truncate',
    cell: ({ user_id, user_email }) => <UserLink id={user_id} email={user_email} />,
  },
  {
    id: 'status',
    header: 'Status',
    sortable: true,
    phone: 'aside',
    className: 'sm:w-px whitespace-nowrap',
    cell: instance => (
      <StatusMark kind={kindOf(instance)} detail={reasonOf(instance)?.short}>
        {statusWords[instance.status]}
      </StatusMark>
    ),
  },
  {
    id: 'gpu',
    header: 'GPU',
    className: 'sm:w-px whitespace-nowrap',
    cell: ({ gpu_count, gpu_type }) => `${gpu_count}× ${gpu_type}`,
  },
  {
    id: 'region',
    header: 'Region',
    className: 'max-lg:hidden sm:w-px whitespace-nowrap text-muted',
    phone: 'hidden',
    cell: ({ region }) => region,
  },
  {
    id: 'host',
    header: 'Host',
    className: 'max-xl:hidden max-w-menu truncate text-muted',
    phone: 'hidden',
    cell: ({ host, driver }) => <span title={`${driver}, ${host ?? 'no host'}`}>{host ?? '–'}</span>,
  },
  {
    id: 'cost',
    header: 'Per hour',
    numeric: true,
    sortable: true,
    className: 'sm:w-px',
    cell: ({ hourly_cost }) => (
      <>
        <Money value={hourly_cost} rate />
        <span className="sm:hidden">/h</span>
      </>
    ),
  },
  {
    id: 'created',
    header: 'Deployed',
    numeric: true,
    sortable: true,
    className: 'sm:w-px text-muted',
    cell: ({ created_at }) => <Time at={created_at} />,
  },
]

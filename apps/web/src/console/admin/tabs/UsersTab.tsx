import { balanceFilters, lowBalanceUsd } from '@ingot/contracts/admin/users'
import type { AdminCounts } from '@ingot/contracts/admin/overview'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { Table } from '../../../ui/Table.tsx'
import { ExportButton } from '../../list/ExportButton.tsx'
import { FilterSelect } from '../../list/FilterSelect.tsx'
import { ListFrame } from '../../list/ListFrame.tsx'
import { LoadMore } from '../../list/LoadMore.tsx'
import { NoMatch } from '../../list/NoMatch.tsx'
import { SearchBox } from '../../list/SearchBox.tsx'
import { useSearchState } from '../../list/search-state.ts'
import { api } from '../../shell/api.ts'
import { useUsers } from '../all-queries.ts'
import { roleOptions } from '../people/person-words.ts'
import { shownText } from './count-text.ts'
import {
  noSearch,
  opening,
  readUsers,
  sortInAddress,
  sortOf,
  type UserFilter,
  accesses,
  readAccess,
} from './tab-search.ts'
import { UserMenu } from './UserMenu.tsx'
import { userColumns } from './user-columns.tsx'

const balanceWords = { low: `under $${lowBalanceUsd}`, empty: 'empty' } as const
const balanceOptions = balanceFilters.map(value => ({ value, label: balanceWords[value] }))
const accessOptions = accesses.map(value => ({ value, label: value }))
const byWords: Record<UserFilter['sort'], string> = {
  created: 'by day of joining',
  email: 'by email',
  balance: 'by balance',
  spent: 'by spend',
  last_seen: 'by last visit',
}

export function UsersTab({ hits }: { readonly hits: AdminCounts['users'] | undefined }) {
  const [address, change] = useSearchState()
  const filter = readUsers(address)
  const { search, role, balance, suspended, sort } = filter
  const access = readAccess(address)
  const { list, rows } = useUsers(filter)
  const most = Math.max(0, ...rows.map(({ spent_30d }) => Number(spent_30d)))
  const isFiltered = Boolean(role ?? balance ?? access)
  return (
    <section aria-label="Users" className="flex flex-col gap-3">
      <ListFrame
        filters={
          <>
            <SearchBox
              label="Search by email, name or id"
              value={address['search'] ?? ''}
              onChange={text => change({ search: text })}
              clearable
            />
            <FilterSelect
              label="Role"
              any="any"
              options={roleOptions}
              value={role}
              onChange={value => change({ role: value })}
            />
            <FilterSelect
              label="Balance"
              any="any"
              options={balanceOptions}
              value={balance}
              onChange={value => change({ balance: value })}
            />
            <FilterSelect
              label="Access"
              any="any"
              options={accessOptions}
              value={access}
              onChange={value => change({ access: value })}
            />
          </>
        }
        count={list.data ? shownText(rows.length, list, { hits, isFiltered, by: byWords[sort] }) : ''}
        action={
          <ExportButton
            fetch={() => api.admin.exportUsers({ search, role, balance, suspended })}
            isEmpty={rows.length === 0}
          >
            Export CSV
          </ExportButton>
        }
        query={list}
        failed="Failed to load dashboard data"
        consequence="The users themselves are not affected."
        skeleton={<SkeletonRows rows={8} columns={6} />}
        isEmpty={rows.length === 0}
        isFiltered={isFiltered || search !== undefined}
        noMatch={
          <NoMatch
            title={search ? `No user matches “${search}”.` : 'No user matches.'}
            onClear={() => change(noSearch)}
          />
        }
        empty={<EmptyState title="Everybody who has an account stands here." />}
        more={<LoadMore list={list} />}
      >
        <Table
          label="Users"
          columns={userColumns(most)}
          rows={rows}
          rowKey={({ id }) => id}
          sort={sortOf(filter)}
          onSort={next => change(sortInAddress(next))}
          onOpen={({ id }) => change(opening('user', id), { step: true })}
          renderMenu={user => <UserMenu user={user} />}
          refreshing={list.isPlaceholderData}
        />
      </ListFrame>
    </section>
  )
}

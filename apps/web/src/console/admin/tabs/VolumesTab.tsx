import type { AdminCounts } from '@ingot/contracts/admin/overview'
import type { AdminVolume } from '@ingot/contracts/admin/volumes'
import { volumeStatuses } from '@ingot/contracts/volumes'
import { useQuery } from '@tanstack/react-query'
import { Ellipsis } from 'lucide-react'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/Menu.tsx'
import { Money } from '../../../ui/Money.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { StatusMark } from '../../../ui/StatusMark.tsx'
import { Table } from '../../../ui/Table.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { Time } from '../../../ui/Time.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { regionsQuery } from '../../catalog/queries.ts'
import { ExportButton } from '../../list/ExportButton.tsx'
import { FilterSelect } from '../../list/FilterSelect.tsx'
import { ListFrame } from '../../list/ListFrame.tsx'
import { LoadMore } from '../../list/LoadMore.tsx'
import { NoMatch } from '../../list/NoMatch.tsx'
import { RowLink } from '../../list/RowLink.tsx'
import { SearchBox } from '../../list/SearchBox.tsx'
import { useSearchState } from '../../list/search-state.ts'
import { api } from '../../shell/api.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { stateOf, usedText } from '../../volumes/volume-text.ts'
import { useVolumeActs, type VolumeAct, whyNotVolume } from '../acts/use-volume-acts.tsx'
import { useAllVolumes } from '../all-queries.ts'
import { shownText } from './count-text.ts'
import { OfUser } from './OfUser.tsx'
import { noSearch, opening, readVolumes, sortInAddress, sortOf, type VolumeFilter } from './tab-search.ts'
import { useCopyId } from './use-copy-id.ts'
import { UserLink } from './UserLink.tsx'

const statusOptions = volumeStatuses.map(value => ({ value, label: value }))
const byWords: Record<VolumeFilter['sort'], string> = {
  created: 'by day of creation',
  name: 'by name',
  size: 'by size',
}

export function VolumesTab({ hits }: { readonly hits: AdminCounts['volumes'] | undefined }) {
  const [address, change] = useSearchState()
  const filter = readVolumes(address)
  const { sort, order: _, ...narrowed } = filter
  const { search, status, region, user_id } = narrowed
  const { list, rows } = useAllVolumes(filter)
  const regions = useQuery(regionsQuery).data?.items ?? []
  const acts = useVolumeActs()
  const isFiltered = Boolean(status ?? region ?? user_id)
  return (
    <section aria-label="Volumes" className="flex flex-col gap-3">
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
          <ExportButton fetch={() => api.admin.exportVolumes(narrowed)} isEmpty={rows.length === 0}>
            Export CSV
          </ExportButton>
        }
        query={list}
        failed="Failed to load dashboard data"
        consequence="The volumes themselves are not affected."
        skeleton={<SkeletonRows rows={8} columns={6} />}
        isEmpty={rows.length === 0}
        isFiltered={isFiltered || search !== undefined}
        noMatch={
          <NoMatch
            title={search ? `No volume matches “${search}”.` : 'No volume matches.'}
            onClear={() => change(noSearch)}
          />
        }
        empty={<EmptyState title="Whatever network volumes customers have stand here." />}
        more={<LoadMore list={list} />}
      >
        <Table
          label="Volumes"
          columns={columns}
          rows={rows}
          rowKey={({ id }) => id}
          sort={sortOf(filter)}
          onSort={next => change(sortInAddress(next))}
          onOpen={({ id }) => change(opening('volume', id), { step: true })}
          renderMenu={volume => <VolumeMenu volume={volume} onAct={acts.ask} />}
          refreshing={list.isPlaceholderData}
        />
      </ListFrame>
      {acts.dialog}
    </section>
  )
}

function State({ volume }: { readonly volume: AdminVolume }) {
  const now = useNow(volume.status === 'creating' ? 1_000 : 60_000)
  const { kind, word, detail } = stateOf(volume, now)
  return (
    <StatusMark kind={kind} detail={detail}>
      {word}
    </StatusMark>
  )
}

const columns: readonly Column<AdminVolume>[] = [
  {
    id: 'name',
    header: 'Name',
    sortable: true,
    phone: 'lead',
    className: 'min-w-0 truncate max-sm:flex-1 sm:max-w-menu',
    cell: ({ id, name }) => <RowLink name={name} opens={opening('volume', id)} />,
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
    phone: 'aside',
    className: 'sm:w-px whitespace-nowrap',
    cell: volume => <State volume={volume} />,
  },
  {
    id: 'size',
    header: 'Size',
    numeric: true,
    sortable: true,
    className: 'sm:w-px',
    cell: usedText,
  },
  {
    id: 'region',
    header: 'Region',
    phone: 'hidden',
    className: 'max-lg:hidden sm:w-px whitespace-nowrap text-muted',
    cell: ({ region }) => region,
  },
  {
    id: 'instance',
    header: 'Instance',
    className: 'min-w-0 sm:max-w-menu truncate',
    phone: 'hidden',
    cell: ({ instance_id, instance_name }) =>
      instance_id ? (
        <RowLink name={instance_name ?? instance_id} opens={opening('instance', instance_id)} />
      ) : (
        <span className="text-muted">–</span>
      ),
  },
  {
    id: 'cost',
    header: 'Per month',
    numeric: true,
    className: 'max-lg:hidden sm:w-px',
    phone: 'hidden',
    cell: ({ monthly_cost }) => <Money value={monthly_cost} />,
  },
  {
    id: 'created',
    header: 'Created',
    numeric: true,
    sortable: true,
    className: 'sm:w-px text-muted',
    cell: ({ created_at }) => <Time at={created_at} />,
  },
]

interface VolumeMenuProps {
  readonly volume: AdminVolume
  readonly onAct: (act: VolumeAct, volume: AdminVolume) => void
}

function VolumeMenu({ volume, onAct }: VolumeMenuProps) {
  const [, change] = useSearchState()
  const copyId = useCopyId()
  const offline = useOfflineReason()
  const { id, name, user_id } = volume
  const item = (act: VolumeAct, label: string) => (
    <MenuItem
      danger={act === 'delete'}
      onSelect={() => onAct(act, volume)}
      disabledReason={whyNotVolume(act, volume) ?? offline}
    >
      {label}
    </MenuItem>
  )
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for ${name}`}>
          <Ellipsis size={16} aria-hidden />
        </IconButton>
      }
    >
      <MenuItem onSelect={() => change(opening('volume', id), { step: true })}>Manage Volume</MenuItem>
      <MenuItem onSelect={() => change(opening('user', user_id), { step: true })}>User Details</MenuItem>
      <MenuItem onSelect={() => copyId(id)}>Copy id</MenuItem>
      <MenuSeparator />
      {item('detach', 'Detach Volume')}
      {item('delete', 'Delete Volume')}
    </Menu>
  )
}

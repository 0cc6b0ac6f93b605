import { type Announcement, announcementStates } from '@ingot/contracts/site/announcements'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge } from '../../../ui/Badge.tsx'
import { Button } from '../../../ui/Button.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { Table } from '../../../ui/Table.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { Time } from '../../../ui/Time.tsx'
import { toast } from '../../../ui/toast.ts'
import { FilterSelect } from '../../list/FilterSelect.tsx'
import { ListFrame } from '../../list/ListFrame.tsx'
import { LoadMore } from '../../list/LoadMore.tsx'
import { NoMatch } from '../../list/NoMatch.tsx'
import { useSearchState } from '../../list/search-state.ts'
import { orMore } from '../../list/use-pages.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { PageHeading } from '../../shell/PageHeading.tsx'
import { AdminOnly } from '../AdminOnly.tsx'
import { AnnouncementDialog } from './AnnouncementDialog.tsx'
import { placeWords, stateTones, stateWords } from './announcement-words.ts'
import { MaintenanceCard } from './MaintenanceCard.tsx'
import { announcementsKey, useAnnouncements } from './queries.ts'

export function AnnouncementsScreen() {
  return (
    <AdminOnly>
      <div className="flex flex-col gap-6">
        <PageHeading lead="What everybody reads in a band, on public pages and in the console, and the switch for maintenance.">
          Announcements
        </PageHeading>
        <MaintenanceCard />
        <Announcements />
      </div>
    </AdminOnly>
  )
}

const stateOptions = announcementStates.map(value => ({ value, label: stateWords[value] }))

function Announcements() {
  const [address, change] = useSearchState()
  const state = announcementStates.find(each => each === address['state'])
  const { list, rows } = useAnnouncements(state)
  const [edited, setEdited] = useState<Announcement | 'new' | null>(null)
  const add = (
    <Button variant="primary" onClick={() => setEdited('new')}>
      New announcement
    </Button>
  )
  return (
    <section aria-label="Announcements" className="flex flex-col gap-3">
      <ListFrame
        filters={
          <FilterSelect
            label="State"
            any="Any"
            options={stateOptions}
            value={state}
            onChange={value => change({ state: value })}
          />
        }
        count={list.data ? `${orMore(rows.length, list)} shown` : ''}
        action={add}
        query={list}
        failed="The announcements could not be loaded"
        consequence="What is announced is shown all the same."
        skeleton={<SkeletonRows rows={4} columns={4} />}
        isEmpty={rows.length === 0}
        isFiltered={state !== undefined}
        noMatch={
          state && (
            <NoMatch
              title={`No announcement is ${stateWords[state].toLowerCase()}.`}
              onClear={() => change({ state: '' })}
              clearLabel="Show all"
            />
          )
        }
        empty={
          <EmptyState title="What you announce stands in a band until its time is over or its reader dismisses it.">
            Nothing was announced yet.
          </EmptyState>
        }
        more={<LoadMore list={list} />}
      >
        <Table label="Announcements" columns={columnsFor(setEdited)} rows={rows} rowKey={each => each.id} />
      </ListFrame>
      {edited && (
        <AnnouncementDialog announcement={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />
      )}
    </section>
  )
}

const columnsFor = (edit: (announcement: Announcement) => void): readonly Column<Announcement>[] => [
  {
    id: 'text',
    header: 'Text',
    phone: 'lead',
    className: 'min-w-0 max-sm:basis-0 sm:max-w-0 sm:w-1/2 wrap-anywhere',
    cell: ({ text, link }) => (
      <>
        {text}
        {link && <span className="block truncate text-muted">{`${link.label}: ${link.href}`}</span>}
      </>
    ),
  },
  {
    id: 'state',
    header: 'State',
    phone: 'aside',
    className: 'sm:w-px',
    cell: ({ state, tone }) => (
      <span className="flex gap-1">
        <Badge tone={stateTones[state]}>{stateWords[state]}</Badge>
        {tone === 'warn' && <Badge tone="warn">Warning</Badge>}
      </span>
    ),
  },
  {
    id: 'place',
    header: 'Where',
    className: 'sm:w-px xl:whitespace-nowrap',
    cell: ({ place }) => placeWords[place],
  },
  {
    id: 'time',
    header: 'From and until',
    className: 'sm:w-px',
    cell: ({ from, until }) => (
      <span className="text-muted xl:whitespace-nowrap">
        <Time at={from} /> – {until ? <Time at={until} /> : 'open'}
      </span>
    ),
  },
  {
    id: 'acts',
    header: 'Action',
    className: 'sm:w-px',
    cell: announcement => <Acts announcement={announcement} onEdit={() => edit(announcement)} />,
  },
]

interface ActsProps {
  readonly announcement: Announcement
  readonly onEdit: () => void
}

function Acts({ announcement: { id, state, text }, onEdit }: ActsProps) {
  const client = useQueryClient()
  const offline = useOfflineReason()
  const end = useMutation({
    mutationFn: () => api.site.endAnnouncement({ id }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: announcementsKey })
      toast.success('Announcement ended')
    },
    onError: error => toast.error(`It could not be ended: ${errorText(error)}`),
  })
  if (state === 'over') return null
  return (
    <span className="flex justify-end gap-2">
      <Button aria-label={`Change: ${text}`} onClick={onEdit}>
        Change
      </Button>
      <Button
        aria-label={`End: ${text}`}
        busy={end.isPending}
        busyLabel="Ending..."
        disabledReason={offline}
        onClick={() => end.mutate()}
      >
        End
      </Button>
    </span>
  )
}

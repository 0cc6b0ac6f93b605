import type { HostEntry, UnpricedCards } from '@ingot/contracts/catalog-calls'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { StatusMark } from '../../ui/StatusMark.tsx'
import { Table } from '../../ui/Table.tsx'
import type { Column } from '../../ui/TableRow.tsx'
import { Time } from '../../ui/Time.tsx'
import { ListFrame } from '../list/ListFrame.tsx'
import { LoadMore } from '../list/LoadMore.tsx'
import { orMore } from '../list/use-pages.ts'
import { PageHeading } from '../shell/PageHeading.tsx'
import { AdminOnly } from './AdminOnly.tsx'
import { unpricedQuery, useHosts } from './queries.ts'
import { SetPriceDialog } from './SetPriceDialog.tsx'

export function HostsScreen() {
  return (
    <AdminOnly>
      <div className="flex flex-col gap-6">
        <PageHeading lead="What machines run on, as each driver last told of it, and what of it is taken.">
          Hosts
        </PageHeading>
        <Unpriced />
        <Hosts />
      </div>
    </AdminOnly>
  )
}

/** Cards that earn nothing yet: said first, with the way to sell them. */
function Unpriced() {
  const { data } = useQuery(unpricedQuery)
  const [priced, price] = useState<UnpricedCards | null>(null)
  return (
    <>
      {data?.map(each => (
        <Band key={each.model} tone="warn" action={<Button onClick={() => price(each)}>Set a price</Button>}>
          {each.cards}× {each.model}: {each.cards === 1 ? 'it has' : 'they have'} no price and{' '}
          {each.cards === 1 ? 'is' : 'are'} not sold.
        </Band>
      ))}
      {priced && <SetPriceDialog cards={priced} onClose={() => price(null)} />}
    </>
  )
}

function Hosts() {
  const { list, rows } = useHosts()
  return (
    <section aria-label="Hosts" className="flex flex-col gap-3">
      <ListFrame
        filters={null}
        count={list.data ? `${orMore(rows.length, list)} shown` : ''}
        query={list}
        failed="The hosts could not be loaded"
        consequence="What runs on them runs on."
        skeleton={<SkeletonRows rows={3} columns={5} />}
        isEmpty={rows.length === 0}
        empty={
          <EmptyState title="Every computer that machines run on stands here.">
            No driver has told of a host yet.
          </EmptyState>
        }
        more={<LoadMore list={list} />}
      >
        <Table label="Hosts" columns={columns} rows={rows} rowKey={({ id }) => id} />
      </ListFrame>
    </section>
  )
}

const cardsText = ({ has_cards, cards }: HostEntry): string =>
  has_cards
    ? cards.map(({ gpu_type, total, free }) => `${free} of ${total} ${gpu_type}`).join(', ') ||
      'None for sale'
    : 'Simulated, of any type'

const columns: readonly Column<HostEntry>[] = [
  {
    id: 'host',
    header: 'Host',
    phone: 'lead',
    className: 'min-w-0 truncate max-sm:basis-0 sm:max-w-0 sm:w-1/4',
    cell: ({ driver, name }) => (
      <span title={`${driver}, ${name}`}>
        {driver} <span className="text-muted">{name}</span>
      </span>
    ),
  },
  {
    id: 'state',
    header: 'State',
    phone: 'aside',
    className: 'sm:w-px',
    cell: ({ state, seen_at }) =>
      state === 'ready' ? (
        <StatusMark kind="running">Ready</StatusMark>
      ) : (
        <StatusMark
          kind="failed"
          detail={
            <>
              last heard <Time at={seen_at} />
            </>
          }
        >
          Silent
        </StatusMark>
      ),
  },
  { id: 'cards', header: 'Cards free', cell: cardsText },
  {
    id: 'machines',
    header: 'Machines',
    className: 'sm:w-px tabular-nums',
    cell: host => `${host.machines_taken} of ${host.machines}`,
  },
  {
    id: 'size',
    header: 'vCPU and RAM taken',
    className: 'max-xl:hidden sm:w-px tabular-nums',
    phone: 'hidden',
    cell: host =>
      host.has_cards
        ? `${host.cpu_cores_taken} of ${host.cpu_cores}, ${host.memory_gb_taken} of ${host.memory_gb} GB`
        : 'Not counted',
  },
  {
    id: 'disk',
    header: 'Disks sold',
    className: 'sm:w-px tabular-nums',
    cell: ({ disk_gb, disk_gb_taken }) =>
      disk_gb === null ? `${disk_gb_taken} GB, no limit` : `${disk_gb_taken} of ${disk_gb} GB`,
  },
]

import type { HostEntry, UnpricedCards } from '@ingot/contracts/catalog-calls'
import type { AdminRegion } from '@ingot/contracts/admin/machines'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { buttonClass } from '../../../ui/button-class.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { StatusMark } from '../../../ui/StatusMark.tsx'
import { Table } from '../../../ui/Table.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { Time } from '../../../ui/Time.tsx'
import { ListFrame } from '../../list/ListFrame.tsx'
import { LoadMore } from '../../list/LoadMore.tsx'
import { PageHeading } from '../../shell/PageHeading.tsx'
import { AdminOnly } from '../AdminOnly.tsx'
import { HostState } from './HostState.tsx'
import { unpricedQuery } from '../money/queries.ts'
import { regionsQuery, useHosts } from './queries.ts'
import { PriceDialog } from '../money/PriceDialog.tsx'
import { Share } from './Share.tsx'

export function MachinesScreen() {
  return (
    <AdminOnly>
      <div className="flex flex-col gap-6">
        <PageHeading
          lead="What instances run on, as each driver last told of it, and what of it is taken."
          actions={
            <Link to="/admin/placements" className={buttonClass()}>
              Decisions about places
            </Link>
          }
        >
          Machines
        </PageHeading>
        <Unpriced />
        <Drivers />
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
      {priced && <PriceDialog cards={priced} onClose={() => price(null)} />}
    </>
  )
}

/** Several regions may be served by one driver, and a host belongs to its driver. */
function Drivers() {
  const regions = useQuery(regionsQuery)
  const { list, rows } = useHosts()
  const drivers = [
    ...new Set([...(regions.data ?? []).map(({ driver }) => driver), ...rows.map(({ driver }) => driver)]),
  ]
  return (
    <ListFrame
      query={list}
      failed="The hosts could not be loaded"
      consequence="What runs on them runs on."
      skeleton={<SkeletonRows rows={4} columns={5} />}
      isEmpty={drivers.length === 0}
      empty={
        <EmptyState title="Every computer that machines run on stands here.">
          No driver has told of a host yet.
        </EmptyState>
      }
      more={<LoadMore list={list} />}
    >
      <div className="flex flex-col gap-8">
        {drivers.map(driver => (
          <DriverSection
            key={driver}
            driver={driver}
            regions={(regions.data ?? []).filter(region => region.driver === driver)}
            hosts={rows.filter(host => host.driver === driver)}
          />
        ))}
      </div>
    </ListFrame>
  )
}

interface DriverSectionProps {
  readonly driver: string
  readonly regions: readonly AdminRegion[]
  readonly hosts: readonly HostEntry[]
}

function DriverSection({ driver, regions, hosts }: DriverSectionProps) {
  const navigate = useNavigate()
  const [first] = regions
  return (
    <section aria-labelledby={`driver-${driver}`} className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <h2 id={`driver-${driver}`} className="text-heading">
          {driver}
        </h2>
        {first ? <DriverState region={first} /> : <StatusMark kind="failed">Serves no region</StatusMark>}
        {first && (
          <span className="text-muted">
            {first.hardware === 'simulated' ? 'Simulated cards' : 'Real cards'},{' '}
            {first.runs_images ? 'runs images' : 'runs no images'}
          </span>
        )}
      </div>
      <ul aria-label={`Regions of ${driver}`} className="flex flex-wrap gap-x-8 gap-y-1">
        {regions.map(region => (
          <li key={region.id} className="flex flex-wrap gap-x-3">
            <span className="font-medium">{region.name}</span>
            {region.available ? (
              <span className="text-ok">On sale</span>
            ) : (
              <span className="text-muted">Not on sale: {region.reason}</span>
            )}
            {region.queued > 0 && <span className="text-warn">{region.queued} wait for a place</span>}
          </li>
        ))}
      </ul>
      {hosts.length > 0 ? (
        <Table
          label={`Hosts of ${driver}`}
          columns={columns}
          rows={hosts}
          rowKey={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: '/admin/machines/$id', params: { id } })}
        />
      ) : (
        <p className="text-muted">It has told of no host.</p>
      )}
    </section>
  )
}

function DriverState({ region: { driver_state, seen_at } }: { readonly region: AdminRegion }) {
  if (driver_state === 'ready') return <StatusMark kind="running">Answers</StatusMark>
  return (
    <StatusMark
      kind="failed"
      detail={
        seen_at && (
          <>
            last heard <Time at={seen_at} />
          </>
        )
      }
    >
      {driver_state === 'silent' ? 'Silent' : 'Was never heard'}
    </StatusMark>
  )
}

const columns: readonly Column<HostEntry>[] = [
  {
    id: 'host',
    header: 'Host',
    phone: 'lead',
    className: 'min-w-0 truncate max-sm:basis-0 sm:max-w-0 sm:w-1/4',
    cell: ({ id, name }) => (
      <Link to="/admin/machines/$id" params={{ id }} className="font-semi hover:underline" title={name}>
        {name}
      </Link>
    ),
  },
  {
    id: 'state',
    header: 'State',
    phone: 'aside',
    className: 'sm:w-px',
    cell: host => <HostState host={host} />,
  },
  { id: 'cards', header: 'Cards taken', cell: host => <Cards host={host} /> },
  {
    id: 'machines',
    header: 'Machines',
    className: 'sm:w-px',
    cell: ({ name, machines, machines_taken }) => (
      <Share label={`Machines of ${name}`} taken={machines_taken} total={machines} />
    ),
  },
  {
    id: 'cpu',
    header: 'vCPU',
    className: 'max-xl:hidden sm:w-px',
    phone: 'hidden',
    cell: ({ name, has_cards, cpu_cores, cpu_cores_taken }) =>
      has_cards ? (
        <Share label={`Processors of ${name}`} taken={cpu_cores_taken} total={cpu_cores} />
      ) : (
        <span className="whitespace-nowrap text-muted">Not counted</span>
      ),
  },
  {
    id: 'memory',
    header: 'RAM',
    className: 'max-xl:hidden sm:w-px',
    phone: 'hidden',
    cell: ({ name, has_cards, memory_gb, memory_gb_taken }) =>
      has_cards ? (
        <Share label={`Memory of ${name}`} taken={memory_gb_taken} total={memory_gb} unit=" GB" />
      ) : (
        <span className="whitespace-nowrap text-muted">Not counted</span>
      ),
  },
  {
    id: 'disk',
    header: 'Disks sold',
    className: 'sm:w-px',
    cell: ({ name, disk_gb, disk_gb_taken }) =>
      disk_gb === null ? (
        <span className="whitespace-nowrap tabular-nums">{disk_gb_taken} GB, no limit</span>
      ) : (
        <Share label={`Disks of ${name}`} taken={disk_gb_taken} total={disk_gb} unit=" GB" />
      ),
  },
]

function Cards({ host: { name, has_cards, cards } }: { readonly host: HostEntry }) {
  if (!has_cards) return <span className="text-muted">Simulated, of any type</span>
  if (cards.length === 0) return <span className="text-muted">None for sale</span>
  return (
    <span className="flex flex-wrap gap-x-4 gap-y-2">
      {cards.map(({ gpu_type, total, free }) => (
        <span key={gpu_type} className="flex items-start gap-2">
          <span className="font-medium">{gpu_type}</span>
          <Share label={`${gpu_type} of ${name}`} taken={total - free} total={total} />
        </span>
      ))}
    </span>
  )
}

import type { HeldCard, HostDetails, HostInstance } from '@ingot/contracts/admin/machines'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Band } from '../../../ui/Band.tsx'
import { buttonClass } from '../../../ui/button-class.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { formatGb, formatHourly } from '../../../ui/format.ts'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { type Stat, StatList } from '../../../ui/StatList.tsx'
import { Table } from '../../../ui/Table.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { Time } from '../../../ui/Time.tsx'
import { ListFrame } from '../../list/ListFrame.tsx'
import { LoadMore } from '../../list/LoadMore.tsx'
import { PageHeading } from '../../shell/PageHeading.tsx'
import { QueryView } from '../../shell/QueryView.tsx'
import { useTitle } from '../../shell/title.ts'
import { AdminOnly } from '../AdminOnly.tsx'
import { HostActs } from './HostActs.tsx'
import { HostHistory } from './HostHistory.tsx'
import { HostState } from './HostState.tsx'
import { hostQuery, useHostInstances } from './queries.ts'

/** One host: who is on it, how it is, and what can be done with it. */
export function HostScreen() {
  return (
    <AdminOnly>
      <Host />
    </AdminOnly>
  )
}

function Host() {
  const { id = '' } = useParams({ strict: false })
  const query = useQuery(hostQuery(id))
  const host = query.data
  useTitle(host ? `${host.name} · Machines` : 'Host')
  return (
    <div className="flex flex-col gap-6">
      <PageHeading
        lead={host && `${host.driver}${host.regions.length ? `, serves ${host.regions.join(', ')}` : ''}`}
        actions={
          <>
            <Link to="/admin/machines" className={buttonClass()}>
              All machines
            </Link>
            {host && <HostActs host={host} />}
          </>
        }
      >
        {host?.name ?? 'Host'}
      </PageHeading>
      <QueryView
        query={query}
        failed="The host could not be loaded"
        consequence="What runs on it runs on."
        skeleton={<SkeletonRows rows={6} columns={4} />}
      >
        {found => (
          <div className="flex flex-col gap-6">
            <Maintenance host={found} />
            <StatList label="What of it is taken" stats={statsOf(found)} />
            {found.has_cards && <Cards cards={found.held_cards} />}
            <Instances id={id} />
            <HostHistory host={found} />
          </div>
        )}
      </QueryView>
    </div>
  )
}

function Maintenance({ host: { maintenance, concerned } }: { readonly host: HostDetails }) {
  if (!maintenance) return null
  const { state, since, by_email, reason, drain_at } = maintenance
  return (
    <Band tone={state === 'cordoned' ? 'info' : 'warn'}>
      {state === 'cordoned' && 'Nothing new is placed here.'}
      {state === 'draining' && drain_at && (
        <>
          All that runs here stops at <Time at={drain_at} exact />.
        </>
      )}
      {state === 'drained' &&
        (concerned.running + concerned.changing > 0
          ? `Being emptied: ${concerned.running + concerned.changing} still to stop.`
          : 'Empty: nothing runs here, and nothing starts before you open it.')}{' '}
      <span className="font-normal">
        {reason} ({by_email ?? 'an account that is gone'}, <Time at={since} />)
      </span>
    </Band>
  )
}

function statsOf(host: HostDetails): Stat[] {
  const { concerned } = host
  return [
    {
      label: 'State',
      value: <HostState host={host} />,
      hint: host.silent_since ? (
        <>
          silent since <Time at={host.silent_since} exact />
        </>
      ) : (
        <>
          heard <Time at={host.seen_at} />
        </>
      ),
    },
    {
      label: 'Machines',
      value: `${host.machines_taken} of ${host.machines}`,
      hint: `${concerned.running} running, ${concerned.stopped} stopped`,
    },
    {
      label: 'vCPU and RAM',
      value: host.has_cards ? `${host.cpu_cores_taken} of ${host.cpu_cores}` : 'Not counted',
      hint: host.has_cards ? `${host.memory_gb_taken} of ${host.memory_gb} GB` : 'Its cards are simulated',
    },
    {
      label: 'Disks',
      value:
        host.disk_gb === null ? formatGb(host.disk_gb_taken) : `${host.disk_gb_taken} of ${host.disk_gb} GB`,
      hint: `${concerned.volumes} volumes, ${concerned.snapshots} snapshots${host.queued ? `, ${host.queued} wait for this host` : ''}`,
    },
  ]
}

function Cards({ cards }: { readonly cards: readonly HeldCard[] }) {
  return (
    <section aria-label="Cards" className="flex flex-col gap-3">
      <h2 className="text-heading">Cards</h2>
      {cards.length === 0 ? (
        <p className="text-muted">Its driver tells of none.</p>
      ) : (
        <Table label="Cards" columns={cardColumns} rows={cards} rowKey={({ uuid }) => uuid} />
      )}
    </section>
  )
}

const cardColumns: readonly Column<HeldCard>[] = [
  {
    id: 'card',
    header: 'Card',
    phone: 'lead',
    className: 'min-w-0 truncate max-sm:basis-0 sm:max-w-0 sm:w-1/4',
    cell: ({ uuid }) => (
      <span className="font-mono text-code" title={uuid}>
        {uuid}
      </span>
    ),
  },
  {
    id: 'model',
    header: 'Model',
    cell: ({ model, memory_gb, gpu_type, is_there }) => (
      <>
        {model}, {memory_gb} GB{' '}
        <span className="text-muted">
          {is_there ? (gpu_type ? `sold as ${gpu_type}` : 'not sold') : 'gone'}
        </span>
      </>
    ),
  },
  {
    id: 'who',
    header: 'Who has it',
    phone: 'aside',
    cell: ({ instance_id, instance_name, email }) =>
      instance_id ? (
        <>
          {instance_name} <span className="text-muted">{email}</span>
        </>
      ) : (
        <span className="text-muted">Nobody</span>
      ),
  },
  { id: 'since', header: 'Since', className: 'sm:w-px', cell: ({ since }) => since && <Time at={since} /> },
  {
    id: 'price',
    header: 'Price',
    numeric: true,
    className: 'sm:w-px',
    cell: ({ hourly_cost }) => hourly_cost && formatHourly(hourly_cost),
  },
]

function Instances({ id }: { readonly id: string }) {
  const { list, rows } = useHostInstances(id)
  return (
    <section aria-label="Instances" className="flex flex-col gap-3">
      <h2 className="text-heading">Instances whose disk is here</h2>
      <ListFrame
        query={list}
        failed="The instances could not be loaded"
        skeleton={<SkeletonRows rows={3} columns={5} />}
        isEmpty={rows.length === 0}
        empty={<EmptyState title="Nobody has an instance on this host." />}
        more={<LoadMore list={list} />}
      >
        <Table label="Instances" columns={instanceColumns} rows={rows} rowKey={each => each.id} />
      </ListFrame>
    </section>
  )
}

const instanceColumns: readonly Column<HostInstance>[] = [
  {
    id: 'name',
    header: 'Instance',
    phone: 'lead',
    className: 'min-w-0 truncate max-sm:basis-0 sm:max-w-0 sm:w-1/4',
    cell: ({ id, name }) => (
      <Link
        to="/admin/placements"
        search={{ instance: id }}
        className="font-semi hover:underline"
        title={`${name}, ${id}: its decisions about places`}
      >
        {name}
      </Link>
    ),
  },
  {
    id: 'email',
    header: 'Customer',
    className: 'min-w-0 sm:max-w-0 sm:w-1/4 truncate',
    cell: ({ email, user_id }) => <span title={user_id}>{email ?? 'No address'}</span>,
  },
  { id: 'status', header: 'Status', phone: 'aside', className: 'sm:w-px', cell: ({ status }) => status },
  {
    id: 'size',
    header: 'Size',
    cell: ({ gpu_count, gpu_type, storage_gb, volume_name }) =>
      `${gpu_count}× ${gpu_type}, ${formatGb(storage_gb)}${volume_name ? `, volume ${volume_name}` : ''}`,
  },
  {
    id: 'since',
    header: 'Place since',
    className: 'sm:w-px whitespace-nowrap',
    cell: ({ since }) => (since ? <Time at={since} /> : <span className="text-muted">Only its disk</span>),
  },
  {
    id: 'price',
    header: 'Price',
    numeric: true,
    className: 'sm:w-px whitespace-nowrap',
    cell: ({ hourly_cost, paid_until }) => (paid_until ? 'Paid upfront' : formatHourly(hourly_cost)),
  },
]

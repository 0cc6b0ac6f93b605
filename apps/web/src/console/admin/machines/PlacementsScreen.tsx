import type { AdminPlacement } from '@ingot/contracts/admin/machines'
import { isId } from '@ingot/contracts/operation'
import { Link } from '@tanstack/react-router'
import { Button } from '../../../ui/Button.tsx'
import { buttonClass } from '../../../ui/button-class.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { StatusMark } from '../../../ui/StatusMark.tsx'
import type { StatusKind } from '../../../ui/StatusShape.tsx'
import { Table } from '../../../ui/Table.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { Time } from '../../../ui/Time.tsx'
import { FilterSelect } from '../../list/FilterSelect.tsx'
import { ListFrame } from '../../list/ListFrame.tsx'
import { LoadMore } from '../../list/LoadMore.tsx'
import { NoMatch } from '../../list/NoMatch.tsx'
import { RowLink } from '../../list/RowLink.tsx'
import { useSearchState } from '../../list/search-state.ts'
import { orMore } from '../../list/use-pages.ts'
import { PageHeading } from '../../shell/PageHeading.tsx'
import { AdminOnly } from '../AdminOnly.tsx'
import { type PlacementFilter, usePlacements } from './queries.ts'

const outcomes = {
  placed: { label: 'Placed', kind: 'running' },
  kept: { label: 'Kept', kind: 'running' },
  refused: { label: 'Refused', kind: 'failed' },
  waiting: { label: 'Waiting', kind: 'changing' },
  released: { label: 'Given back', kind: 'stopped' },
} as const satisfies Record<AdminPlacement['outcome'], { readonly label: string; readonly kind: StatusKind }>
const options = Object.entries(outcomes).map(([value, { label }]) => ({
  value: value as AdminPlacement['outcome'],
  label,
}))

function readFilter(address: Readonly<Record<string, string | undefined>>): PlacementFilter {
  const { outcome = '', instance = '', host = '' } = address
  return {
    outcome: Object.hasOwn(outcomes, outcome) ? (outcome as AdminPlacement['outcome']) : undefined,
    instance_id: isId(instance) ? instance.toLowerCase() : undefined,
    host: /^\d{1,18}$/.test(host) ? host : undefined,
  }
}

/** Which place each wish for one got, or why it got none. */
export function PlacementsScreen() {
  return (
    <AdminOnly>
      <Placements />
    </AdminOnly>
  )
}

function Placements() {
  const [address, change] = useSearchState()
  const filter = readFilter(address)
  const { list, rows } = usePlacements(filter)
  const isFiltered = Object.values(filter).some(Boolean)
  return (
    <div className="flex flex-col gap-6">
      <PageHeading
        lead="Which host and cards each start got, or why it got none, newest first; the last hundred of an instance."
        actions={
          <Link to="/admin/machines" className={buttonClass()}>
            Machines
          </Link>
        }
      >
        Decisions about places
      </PageHeading>
      <section aria-label="Decisions" className="flex flex-col gap-3">
        <ListFrame
          filters={
            <>
              <FilterSelect
                label="Outcome"
                any="Any"
                options={options}
                value={filter.outcome}
                onChange={outcome => change({ outcome })}
              />
              {filter.instance_id && (
                <Button onClick={() => change({ instance: '' })}>
                  Instance {filter.instance_id.slice(0, 8)}: show all
                </Button>
              )}
              {filter.host && (
                <Button onClick={() => change({ host: '' })}>
                  {rows[0]?.host_name ?? 'One host'}: show all
                </Button>
              )}
            </>
          }
          count={list.data ? `${orMore(rows.length, list)} shown` : ''}
          query={list}
          failed="The decisions could not be loaded"
          skeleton={<SkeletonRows rows={8} columns={5} />}
          isEmpty={rows.length === 0}
          isFiltered={isFiltered}
          noMatch={
            <NoMatch
              title="No decision matches."
              onClear={() => change({ outcome: '', instance: '', host: '' })}
            />
          }
          empty={<EmptyState title="What starts asks for a place. What became of it stands here." />}
          more={<LoadMore list={list} />}
        >
          <Table
            label="Decisions"
            columns={columns}
            rows={rows}
            rowKey={row => `${row.instance_id}${row.at}${row.outcome}`}
          />
        </ListFrame>
      </section>
    </div>
  )
}

const columns: readonly Column<AdminPlacement>[] = [
  {
    id: 'instance',
    header: 'Instance',
    phone: 'lead',
    className: 'min-w-0 truncate max-sm:basis-0 sm:max-w-0 sm:w-1/4',
    cell: ({ instance_id, instance_name, email }) => (
      <>
        <RowLink name={instance_name} opens={{ instance: instance_id }} />{' '}
        <span className="text-muted">{email}</span>
      </>
    ),
  },
  {
    id: 'outcome',
    header: 'Outcome',
    phone: 'aside',
    className: 'sm:w-px',
    cell: ({ outcome }) => <StatusMark kind={outcomes[outcome].kind}>{outcomes[outcome].label}</StatusMark>,
  },
  {
    id: 'why',
    header: 'Why',
    cell: ({ message, waited_ms, cards }) => (
      <span title={cards.join(', ') || undefined}>
        {message}
        {waited_ms > 0 && <span className="text-muted"> Others were in the way for {waited_ms} ms.</span>}
      </span>
    ),
  },
  {
    id: 'host',
    header: 'Host',
    className: 'sm:w-px whitespace-nowrap',
    cell: ({ host_id, host_name }) =>
      host_id && (
        <Link to="/admin/machines/$id" params={{ id: host_id }} className="hover:underline">
          {host_name}
        </Link>
      ),
  },
  {
    id: 'time',
    header: 'When',
    className: 'sm:w-px',
    cell: ({ at }) => (
      <span className="text-muted">
        <Time at={at} />
      </span>
    ),
  },
]

import type { Instance } from '@ingot/contracts/instances'
import type { InstanceLoad } from '@ingot/contracts/instance/watching'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { StatusMark } from '../../ui/StatusMark.tsx'
import { Table } from '../../ui/Table.tsx'
import type { Column } from '../../ui/TableRow.tsx'
import type { Keys } from '../../ui/use-selection.ts'
import { RowLink } from '../list/RowLink.tsx'
import { costColumn } from './cost-column.tsx'
import { InstanceMenu } from './InstanceMenu.tsx'
import { kindOf, statusWords } from './instance-status.ts'
import { type InstanceDialog, openDialog } from './instances-search.ts'
import { PowerButton } from './PowerButton.tsx'
import { RunningFor } from './RunningFor.tsx'
import { LoadStrip } from './watching/LoadStrip.tsx'
import { loadsQuery } from './watching/queries.ts'

const before: readonly Column<Instance>[] = [
  {
    id: 'name',
    header: 'Name',
    phone: 'lead',
    className: 'max-w-aside min-w-0 truncate max-sm:basis-0',
    cell: ({ id, name }) => <RowLink name={name} opens={openDialog('details', id)} />,
  },
  {
    id: 'status',
    header: 'Status',
    phone: 'aside',
    cell: instance => <StatusMark kind={kindOf(instance)}>{statusWords[instance.status]}</StatusMark>,
  },
  {
    id: 'gpu',
    header: 'GPU',
    className: 'whitespace-nowrap',
    cell: ({ gpu_count, gpu_type, hardware }) => (
      <>
        {gpu_count}× {gpu_type}
        {hardware === 'simulated' && <span className="text-muted"> simulated</span>}
      </>
    ),
  },
  {
    id: 'region',
    header: 'Region',
    className: 'whitespace-nowrap',
    cell: ({ region }) => <span className="text-muted">{region}</span>,
  },
]

/** An hour a cell: a list has no room for more. */
const cellsTogether = 4
const loadColumn = (loads: ReadonlyMap<string, InstanceLoad>): Column<Instance> => ({
  id: 'load',
  header: 'Load, 24 h',
  phone: 'hidden',
  className: 'whitespace-nowrap max-xl:hidden',
  cell: ({ id, name }) => <LoadStrip name={name} load={loads.get(id)} together={cellsTogether} />,
})

const after: readonly Column<Instance>[] = [
  costColumn,
  {
    id: 'since',
    header: 'Running for',
    numeric: true,
    cell: instance => <RunningFor instance={instance} />,
  },
  {
    id: 'power',
    header: 'Power',
    phone: 'aside',
    className: 'max-sm:-my-2 max-sm:-mr-3 sm:w-px',
    cell: instance => <PowerButton instance={instance} />,
  },
]

interface InstanceTableProps {
  readonly instances: readonly Instance[]
  readonly refreshing: boolean
  readonly selected: Keys
  readonly onSelected: (selected: Keys) => void
  readonly onOpen: (dialog: InstanceDialog, id: string) => void
}

export function InstanceTable({ instances, refreshing, selected, onSelected, onOpen }: InstanceTableProps) {
  const { data } = useQuery(loadsQuery(instances.map(({ id }) => id)))
  const columns = useMemo(
    () => [
      ...before,
      loadColumn(new Map(data?.items.map(load => [load.instance_id, load] as const))),
      ...after,
    ],
    [data],
  )
  return (
    <Table
      label="Instances"
      columns={columns}
      rows={instances}
      rowKey={instance => instance.id}
      refreshing={refreshing}
      selected={selected}
      onSelected={onSelected}
      rowName={({ name }) => name}
      onOpen={instance => onOpen('details', instance.id)}
      renderMenu={instance => (
        <InstanceMenu instance={instance} onOpen={dialog => onOpen(dialog, instance.id)} />
      )}
    />
  )
}

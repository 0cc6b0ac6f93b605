import type { Instance } from '@ingot/contracts/instances'
import { Link, useNavigate } from '@tanstack/react-router'
import { StatusMark } from '../../ui/StatusMark.tsx'
import { Table } from '../../ui/Table.tsx'
import type { Column } from '../../ui/TableRow.tsx'
import { Time } from '../../ui/Time.tsx'
import { costColumn } from '../instances/cost-column.tsx'
import { kindOf, reasonOf, statusWords } from '../instances/instance-status.ts'
import { openDialog } from '../instances/instances-search.ts'

const columns: readonly Column<Instance>[] = [
  {
    id: 'name',
    header: 'Name',
    phone: 'lead',
    className: 'max-w-aside min-w-0 truncate',
    cell: ({ id, name }) => (
      <Link
        to="/console/instances"
        search={openDialog('details', id)}
        title={name}
        className="font-semi hover:underline"
      >
        {name}
      </Link>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    phone: 'aside',
    cell: instance => (
      <StatusMark kind={kindOf(instance)} detail={reasonOf(instance)?.short}>
        {statusWords[instance.status]}
      </StatusMark>
    ),
  },
  {
    id: 'gpu',
    header: 'GPU',
    className: 'whitespace-nowrap',
    cell: ({ gpu_count, gpu_type }) => `${gpu_count}× ${gpu_type}`,
  },
  { id: 'region', header: 'Region', cell: ({ region }) => <span className="text-muted">{region}</span> },
  costColumn,
  {
    id: 'created',
    header: 'Created',
    numeric: true,
    cell: ({ created_at }) => (
      <span className="text-muted">
        <Time at={created_at} />
      </span>
    ),
  },
]

/** The newest five. The whole list is one link away. */
export function RecentInstances({ instances }: { readonly instances: readonly Instance[] }) {
  const navigate = useNavigate()
  return (
    <>
      <Table
        label="Recent instances"
        columns={columns}
        rows={instances}
        rowKey={instance => instance.id}
        onOpen={({ id }) => void navigate({ to: '/console/instances', search: openDialog('details', id) })}
      />
      <p>
        <Link to="/console/instances" className="link inline-flex min-h-6 items-center">
          All instances
        </Link>
      </p>
    </>
  )
}

import type { AuditEntry } from '@ingot/contracts/admin/audit-log'
import { operationWords } from '../../accounts/staff-acts/audit-words.ts'
import { Table } from '../../../ui/Table.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { Time } from '../../../ui/Time.tsx'
import { RowLink } from '../../list/RowLink.tsx'
import { personText, whoText } from './entry-words.ts'

interface AuditTableProps {
  readonly entries: readonly AuditEntry[]
  readonly onOpen: (entry: AuditEntry) => void
}

export function AuditTable({ entries, onOpen }: AuditTableProps) {
  return <Table label="Audit log" columns={columns} rows={entries} rowKey={each => each.id} onOpen={onOpen} />
}

const columns: readonly Column<AuditEntry>[] = [
  {
    id: 'what',
    header: 'What',
    phone: 'lead',
    className: 'min-w-0 truncate max-sm:basis-0 sm:w-1/3 sm:max-w-0',
    cell: ({ id, operation }) => <RowLink name={operationWords(operation)} opens={{ entry: id }} />,
  },
  {
    id: 'who',
    header: 'Who',
    className: 'min-w-0 truncate sm:w-1/4 sm:max-w-0',
    cell: entry => <span title={whoText(entry)}>{whoText(entry)}</span>,
  },
  {
    id: 'whom',
    header: 'On whom',
    className: 'min-w-0 truncate sm:w-1/4 sm:max-w-0',
    cell: ({ customer }) =>
      customer ? (
        <span title={personText(customer)}>{personText(customer)}</span>
      ) : (
        <span className="text-muted">Nobody’s account</span>
      ),
  },
  {
    id: 'reason',
    header: 'Reason',
    phone: 'hidden',
    className: 'w-1/4 max-w-0 truncate max-lg:hidden',
    cell: ({ reason }) => <span className="text-muted">{reason ?? 'None given'}</span>,
  },
  {
    id: 'when',
    header: 'When',
    phone: 'aside',
    className: 'sm:w-px',
    cell: ({ at }) => (
      <span className="text-muted">
        <Time at={at} />
      </span>
    ),
  },
]

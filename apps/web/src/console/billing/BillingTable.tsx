import type { BillingEntry } from '@ingot/contracts/billing'
import { Badge } from '../../ui/Badge.tsx'
import { ExactMoney } from '../../ui/ExactMoney.tsx'
import { Table } from '../../ui/Table.tsx'
import type { Column } from '../../ui/TableRow.tsx'
import { Time } from '../../ui/Time.tsx'
import { RowLink } from '../list/RowLink.tsx'
import { statusTones, statusWords } from './billing-search.ts'

const columns: readonly Column<BillingEntry>[] = [
  {
    id: 'description',
    header: 'Description',
    phone: 'lead',
    className: 'max-sm:basis-1/2 max-sm:min-w-0',
    cell: ({ id, description }) => {
      const [about, ...words] = description.split(': ')
      return (
        <>
          <RowLink name={about!} opens={{ receipt: id }} />{' '}
          <span className="text-muted">{words.join(': ')}</span>
        </>
      )
    },
  },
  {
    id: 'time',
    header: 'Time',
    className: 'sm:w-px',
    cell: ({ created_at }) => (
      <span className="text-muted">
        <Time at={created_at} />
      </span>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    className: 'sm:w-px',
    cell: ({ status }) => <Badge tone={statusTones[status]}>{statusWords[status]}</Badge>,
  },
  {
    id: 'amount',
    header: 'Amount',
    numeric: true,
    phone: 'aside',
    className: 'sm:w-px',
    cell: ({ amount }) => (
      <span className={amount.startsWith('-') ? undefined : 'font-medium text-ok'}>
        <ExactMoney value={amount} />
      </span>
    ),
  },
]

interface BillingTableProps {
  readonly entries: readonly BillingEntry[]
  readonly refreshing: boolean
  /** Shows its receipt. */
  readonly onOpen: (entry: BillingEntry) => void
  readonly onCurrent?: ((entry: BillingEntry) => void) | undefined
}

export function BillingTable({ entries, refreshing, onOpen, onCurrent }: BillingTableProps) {
  return (
    <Table
      label="Billing history"
      columns={columns}
      rows={entries}
      rowKey={entry => entry.id}
      onOpen={onOpen}
      onCurrent={onCurrent}
      refreshing={refreshing}
    />
  )
}

import { useMemo } from 'react'
import { ExactMoney } from '../../ui/ExactMoney.tsx'
import { Table } from '../../ui/Table.tsx'
import type { Column } from '../../ui/TableRow.tsx'
import type { Series, UsageDay } from './usage-days.ts'

interface UsageTableProps {
  readonly series: readonly Series[]
  readonly days: readonly UsageDay[]
}

/** Every figure of the chart. */
export function UsageTable({ series, days }: UsageTableProps) {
  const columns = useMemo(() => [dayColumn, ...series.map(columnOf), sumColumn], [series])
  return <Table label="Usage per day" columns={columns} rows={days} rowKey={({ day }) => day} compact />
}

const dayColumn: Column<UsageDay> = { id: 'day', header: 'Day', phone: 'lead', cell: ({ day }) => day }

const sumColumn: Column<UsageDay> = {
  id: 'amount',
  header: 'In all',
  numeric: true,
  phone: 'aside',
  cell: ({ amount }) => <ExactMoney value={amount} />,
}

const columnOf = ({ key, label }: Series, index: number): Column<UsageDay> => ({
  id: key ?? 'others',
  header: label,
  numeric: true,
  cell: ({ amounts }) => <ExactMoney value={amounts[index]!} />,
})

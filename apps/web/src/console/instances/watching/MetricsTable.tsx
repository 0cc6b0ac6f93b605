import type { Metrics } from '@ingot/contracts/instance/watching'
import { useMemo } from 'react'
import { formatBytes } from '../../../ui/format.ts'
import { Scroller } from '../../../ui/Scroller.tsx'
import { Table } from '../../../ui/Table.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { type Chart, type Range, timeOf } from './charts.ts'

interface MetricsTableProps {
  readonly metrics: Metrics
  readonly charts: readonly Chart[]
  readonly range: Range
}

type Row = number

/** Every figure of the charts, and of each card. */
export function MetricsTable({ metrics, charts, range }: MetricsTableProps) {
  const columns = useMemo(() => columnsOf(metrics, charts, range), [metrics, charts, range])
  const rows = Array.from({ length: metrics.memory_bytes.length }, (_, at) => at)
  return (
    <Scroller label="Figures as a table" className="max-h-log overflow-auto rounded-panel">
      <Table label="Figures" columns={columns} rows={rows} rowKey={String} compact />
    </Scroller>
  )
}

function columnsOf(metrics: Metrics, charts: readonly Chart[], range: Range): Column<Row>[] {
  const column = (
    id: string,
    header: string,
    values: readonly (number | null)[],
    format: (value: number) => string,
  ): Column<Row> => ({
    id,
    header,
    numeric: true,
    cell: at => {
      const value = values[at] ?? null
      return value === null ? '–' : format(value)
    },
  })
  const cards = metrics.cards.flatMap((card, index) => [
    column(`load-${index}`, `GPU ${index} load`, card.load, value => `${Math.round(value * 100)}%`),
    ...(metrics.cards.length > 1
      ? [
          column(`memory-${index}`, `GPU ${index} memory`, card.memory_bytes, formatBytes),
          column(
            `heat-${index}`,
            `GPU ${index} temperature`,
            card.celsius,
            value => `${Math.round(value)} °C`,
          ),
          column(`power-${index}`, `GPU ${index} power`, card.watts, value => `${Math.round(value)} W`),
        ]
      : []),
  ])
  const common = charts.flatMap(({ key, title, lines, format }) =>
    lines.map(({ label, values }, index) =>
      column(`${key}-${index}`, lines.length > 1 ? `${title} ${label}` : title, values, format),
    ),
  )
  return [
    { id: 'time', header: 'Time', phone: 'lead', cell: at => timeOf(metrics, at, range) },
    ...cards,
    ...common,
  ]
}

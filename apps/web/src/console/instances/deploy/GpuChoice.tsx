import type { GpuEntry, RegionEntry } from '@ingot/contracts/catalog-calls'
import { ChoiceTable } from '../../../ui/ChoiceTable.tsx'
import { formatCount } from '../../../ui/format.ts'
import { Money } from '../../../ui/Money.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { type Stock, stockOf } from './stock.ts'

type Row = GpuEntry & { readonly stock: Stock }

interface GpuChoiceProps {
  readonly gpus: readonly GpuEntry[]
  readonly regions: readonly RegionEntry[]
  readonly region: string
  readonly count: number
  readonly value: string
  readonly onValueChange: (gpu: string) => void
}

/** Every GPU with what is free of it. One that is sold out stays and says so. */
export function GpuChoice({ gpus, regions, region, count, value, onValueChange }: GpuChoiceProps) {
  const rows: Row[] = gpus.map(gpu => ({ ...gpu, stock: stockOf(gpu, region, count, regions) }))
  return (
    <ChoiceTable
      label="GPU type"
      columns={columnsFor(region)}
      rows={rows}
      rowKey={row => row.name}
      value={value}
      onValueChange={onValueChange}
      isOff={row => row.stock.kind === 'nowhere' && row.free[region] === undefined && row.name !== value}
    />
  )
}

const columnsFor = (region: string): readonly Column<Row>[] => [
  { id: 'model', header: 'Model', phone: 'lead', cell: row => row.name },
  { id: 'memory', header: 'Memory', numeric: true, cell: row => `${row.memory_gb} GB` },
  { id: 'vcpu', header: 'vCPU', numeric: true, phone: 'hidden', cell: row => row.vcpus },
  { id: 'ram', header: 'RAM', numeric: true, phone: 'hidden', cell: row => `${row.ram_gb} GB` },
  {
    id: 'free',
    header: `Free in ${region}`,
    className: 'sm:whitespace-nowrap',
    cell: row => (
      <>
        {freeText(row.stock)}
        {row.stock.kind === 'here' && <span className="sm:hidden"> free</span>}
      </>
    ),
  },
  {
    id: 'price',
    header: 'Per hour',
    numeric: true,
    phone: 'aside',
    cell: row => <Money value={row.hourly_price} />,
  },
]

function freeText(stock: Stock): string {
  switch (stock.kind) {
    case 'here':
      return formatCount(stock.free)
    case 'elsewhere':
      return `${stock.free === 0 ? 'None' : formatCount(stock.free)}. ${formatCount(stock.freeThere)} in ${stock.region}`
    case 'nowhere':
      return stock.free === 0 ? 'Sold out everywhere' : `${formatCount(stock.free)}, too few everywhere`
  }
}

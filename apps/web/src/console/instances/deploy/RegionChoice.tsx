import { type RegionName, regionNames } from '@ingot/contracts/catalog'
import type { GpuEntry, RegionEntry } from '@ingot/contracts/catalog-calls'
import { ChoiceTable } from '../../../ui/ChoiceTable.tsx'
import { formatCount } from '../../../ui/format.ts'
import type { Column } from '../../../ui/TableRow.tsx'

interface Row {
  readonly id: RegionName
  readonly known: RegionEntry | undefined
  readonly free: number | undefined
}

interface RegionChoiceProps {
  readonly regions: readonly RegionEntry[] | undefined
  /** Of the chosen model. */
  readonly gpu: GpuEntry | undefined
  readonly value: RegionName
  readonly onValueChange: (region: RegionName) => void
}

export function RegionChoice({ regions, gpu, value, onValueChange }: RegionChoiceProps) {
  const rows: Row[] = regionNames.map(id => ({
    id,
    known: regions?.find(region => region.id === id),
    free: gpu?.free[id],
  }))
  return (
    <>
      <ChoiceTable
        label="Region"
        columns={columnsFor(gpu?.name)}
        rows={rows}
        rowKey={row => row.id}
        value={value}
        onValueChange={id => onValueChange(id as RegionName)}
        isOff={({ id, known }) => known?.available === false && id !== value}
      />
      <p className="pt-1 text-label font-normal text-muted">
        A round trip is shown for a region that has an address of its own. All of these are reached through
        this service&rsquo;s address.
      </p>
    </>
  )
}

const columnsFor = (gpu: string | undefined): readonly Column<Row>[] => [
  { id: 'region', header: 'Region', phone: 'lead', className: 'whitespace-nowrap', cell: row => row.id },
  {
    id: 'free',
    header: gpu ? `Free ${gpu}` : 'Free',
    numeric: true,
    cell: ({ known, free }) =>
      known?.available === false ? 'Not offered' : known && gpu ? `${formatCount(free ?? 0)} free` : '',
  },
  // No region has an address of its own; one figure for all of them would say nothing about any.
  { id: 'latency', header: 'Round trip', numeric: true, phone: 'aside', cell: () => '—' },
  { id: 'hardware', header: 'Hardware', cell: ({ known }) => (known ? hardwareText(known) : '') },
]

const hardwareText = ({ available, reason, hardware }: RegionEntry): string =>
  available ? (hardware === 'simulated' ? 'Simulated GPU' : 'Real GPU') : (reason ?? 'Not available')

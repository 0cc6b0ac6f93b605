import type { GpuEntry, RegionEntry } from '@ingot/contracts/catalog-calls'
import { ChoiceTable } from '../../../ui/ChoiceTable.tsx'
import { formatCount } from '../../../ui/format.ts'
import type { Column } from '../../../ui/TableRow.tsx'

type Row = RegionEntry & { readonly free: number }

interface RegionChoiceProps {
  readonly regions: readonly RegionEntry[]
  /** Of the chosen model. */
  readonly gpu: GpuEntry
  readonly value: string
  readonly onValueChange: (region: string) => void
}

export function RegionChoice({ regions, gpu, value, onValueChange }: RegionChoiceProps) {
  const rows: Row[] = regions.map(region => ({ ...region, free: gpu.free[region.id] ?? 0 }))
  return (
    <>
      <ChoiceTable
        label="Region"
        columns={columnsFor(gpu.name)}
        rows={rows}
        rowKey={row => row.id}
        value={value}
        onValueChange={onValueChange}
        isOff={({ id, available }) => !available && id !== value}
      />
      <p className="pt-1 text-label font-normal text-muted">
        A round trip is shown for a region that has an address of its own. All of these are reached through
        this service&rsquo;s address.
      </p>
    </>
  )
}

const columnsFor = (gpu: string): readonly Column<Row>[] => [
  { id: 'region', header: 'Region', phone: 'lead', className: 'whitespace-nowrap', cell: row => row.id },
  {
    id: 'free',
    header: `Free ${gpu}`,
    numeric: true,
    cell: ({ available, free }) => (available ? `${formatCount(free)} free` : 'Not offered'),
  },
  // No region has an address of its own; one figure for all of them would say nothing about any.
  { id: 'latency', header: 'Round trip', numeric: true, phone: 'aside', cell: () => '—' },
  { id: 'hardware', header: 'Hardware', cell: hardwareText },
]

const hardwareText = ({ available, reason, hardware }: RegionEntry): string =>
  available ? (hardware === 'simulated' ? 'Simulated GPU' : 'Real GPU') : (reason ?? 'Not available')

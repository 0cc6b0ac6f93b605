import { Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { HeatStrip } from '../../ui/HeatStrip.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../ui/Menu.tsx'
import { Money } from '../../ui/Money.tsx'
import { toast } from '../../ui/toast.ts'
import { StatusMark } from '../../ui/StatusMark.tsx'
import type { StatusKind } from '../../ui/StatusShape.tsx'
import { Table } from '../../ui/Table.tsx'
import type { Sort } from '../../ui/TableHead.tsx'
import type { Column } from '../../ui/TableRow.tsx'
import { KitSection } from './KitSection.tsx'

interface Sample {
  readonly name: string
  readonly kind: StatusKind
  readonly word: string
  readonly gpu: string
  readonly region: string
  readonly load: readonly number[] | null
  readonly cost: string
  readonly since: string
}

const wave = (shift: number): number[] =>
  Array.from({ length: 30 }, (_, i) => Math.max(0, Math.round(45 + 55 * Math.sin((i + shift) / 4))))

const samples: readonly Sample[] = [
  {
    name: 'llama-ft-07',
    kind: 'running',
    word: 'Running',
    gpu: '8× H100',
    region: 'EU-West',
    load: wave(0),
    cost: '32.800000',
    since: '3d 04h',
  },
  {
    name: 'sdxl-batch',
    kind: 'running',
    word: 'Running',
    gpu: '1× L4',
    region: 'US-West',
    load: wave(9),
    cost: '0.610000',
    since: '41m',
  },
  {
    name: 'vllm-canary',
    kind: 'changing',
    word: 'Starting',
    gpu: '2× H100',
    region: 'US-East',
    load: null,
    cost: '8.200000',
    since: '12s',
  },
  {
    name: 'eval-sweep-3',
    kind: 'stopped',
    word: 'Stopped',
    gpu: '4× A100 80GB',
    region: 'US-East',
    load: null,
    cost: '0.000000',
    since: 'stopped',
  },
  {
    name: 'ablation-11',
    kind: 'failed',
    word: 'Failed',
    gpu: '1× H100',
    region: 'US-East',
    load: null,
    cost: '0.000000',
    since: 'image not found',
  },
  {
    name: 'whisper-ingest',
    kind: 'attention',
    word: 'Low balance',
    gpu: '1× T4',
    region: 'EU-West',
    load: wave(4),
    cost: '0.353472',
    since: '19h 02m',
  },
]

const columns: readonly Column<Sample>[] = [
  {
    id: 'name',
    header: 'Name',
    phone: 'lead',
    sortable: true,
    cell: row => (
      <a href={`#${row.name}`} className="font-semi hover:underline">
        {row.name}
      </a>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    phone: 'aside',
    cell: row => <StatusMark kind={row.kind}>{row.word}</StatusMark>,
  },
  { id: 'gpu', header: 'GPU', sortable: true, cell: row => row.gpu },
  { id: 'region', header: 'Region', cell: row => <span className="text-muted">{row.region}</span> },
  {
    id: 'load',
    header: 'GPU load, last hour',
    phone: 'hidden',
    cell: row =>
      row.load ? (
        <HeatStrip label="GPU load, last hour" values={row.load} />
      ) : (
        <span className="text-muted">Off</span>
      ),
  },
  {
    id: 'cost',
    header: 'Cost per hour',
    numeric: true,
    sortable: true,
    cell: row => <Money value={row.cost} />,
  },
  {
    id: 'since',
    header: 'Running for',
    numeric: true,
    cell: row => <span className={row.kind === 'failed' ? 'text-danger' : 'text-muted'}>{row.since}</span>,
  },
]

export function KitTable() {
  const [sort, setSort] = useState<Sort>({ column: 'name', direction: 'ascending' })
  const [selected, setSelected] = useState<ReadonlySet<string>>(() => new Set(['sdxl-batch']))
  const rows = samples.toSorted((a, b) => order(a, b, sort))
  return (
    <KitSection title="Table">
      <Table
        label="Sample instances"
        columns={columns}
        rows={rows}
        rowKey={row => row.name}
        sort={sort}
        onSort={setSort}
        onOpen={row => toast.info(`Opened ${row.name}`)}
        selected={selected}
        onSelected={setSelected}
        rowName={row => row.name}
        renderMenu={row => <RowMenu name={row.name} isRunning={row.kind === 'running'} />}
      />
      <Table
        label="While more is coming"
        columns={columns.slice(0, 4)}
        rows={rows.slice(0, 2)}
        rowKey={row => row.name}
        refreshing
        compact
      />
    </KitSection>
  )
}

function order(a: Sample, b: Sample, { column, direction }: Sort): number {
  const sign = direction === 'ascending' ? 1 : -1
  if (column === 'gpu') return sign * a.gpu.localeCompare(b.gpu)
  // Of one sign and six decimals: the longer amount is the larger one.
  if (column === 'cost') return sign * (a.cost.length - b.cost.length || a.cost.localeCompare(b.cost))
  return sign * a.name.localeCompare(b.name)
}

function RowMenu({ name, isRunning }: { readonly name: string; readonly isRunning: boolean }) {
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for ${name}`}>
          <Ellipsis size={16} aria-hidden />
        </IconButton>
      }
    >
      <MenuItem onSelect={() => toast.default('View Details')}>View Details</MenuItem>
      <MenuItem disabledReason={isRunning ? null : 'Only while running'}>Connect via SSH</MenuItem>
      <MenuSeparator />
      <MenuItem danger>Delete Instance</MenuItem>
    </Menu>
  )
}

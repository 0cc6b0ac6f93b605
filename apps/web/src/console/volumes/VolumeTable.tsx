import type { Volume } from '@ingot/contracts/volumes'
import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { useMemo, type ReactNode } from 'react'
import { cx } from '../../ui/cx.ts'
import { formatExact, formatMoney } from '../../ui/format.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Money } from '../../ui/Money.tsx'
import { Table } from '../../ui/Table.tsx'
import type { Column } from '../../ui/TableRow.tsx'
import { barLength, UsedBar } from './UsedBar.tsx'
import { useVolumeActions } from './use-volume-actions.ts'
import { VolumeMenu } from './VolumeMenu.tsx'
import { VolumeState } from './VolumeState.tsx'
import { isNearlyFull, usedText, whyNot } from './volume-text.ts'
import type { VolumeDialog } from './volumes-search.ts'

interface VolumeTableProps {
  readonly volumes: readonly Volume[]
  readonly refreshing: boolean
  /** The row that shows its snapshots. */
  readonly row: string | undefined
  readonly onRow: (id: string) => void
  readonly onOpen: (dialog: VolumeDialog, id: string) => void
  readonly renderUnder: (volume: Volume) => ReactNode
}

export function VolumeTable({ volumes, refreshing, row, onRow, onOpen, renderUnder }: VolumeTableProps) {
  const largest = Math.max(0, ...volumes.map(({ size_gb }) => size_gb))
  const columns = useMemo(() => columnsOf(largest, row, onRow, onOpen), [largest, row, onRow, onOpen])
  return (
    <Table
      label="Network volumes"
      columns={columns}
      rows={volumes}
      rowKey={({ id }) => id}
      refreshing={refreshing}
      onOpen={({ id }) => onRow(id)}
      renderUnder={volume => volume.id === row && renderUnder(volume)}
      renderMenu={volume => <VolumeMenu volume={volume} onOpen={dialog => onOpen(dialog, volume.id)} />}
    />
  )
}

/** Where a row is narrow its page, its opened row and its dialogs say it. */
export const whereWide = 'sm:max-xl:hidden'

const columnsOf = (
  largest: number,
  row: string | undefined,
  onRow: (id: string) => void,
  onOpen: (dialog: VolumeDialog, id: string) => void,
): readonly Column<Volume>[] => [
  {
    id: 'name',
    header: 'Name',
    phone: 'lead',
    // It takes the room that the others leave.
    className:
      'relative w-full max-w-0 min-w-names truncate sm:pl-row max-sm:-ml-2 max-sm:flex! max-sm:max-w-none max-sm:basis-0 max-sm:items-center',
    cell: ({ id, name }) => (
      <>
        <IconButton
          label={`Snapshots of ${name}`}
          tooltip={false}
          aria-expanded={id === row}
          onClick={() => onRow(id)}
          className="sm:absolute sm:inset-y-0 sm:left-1 sm:my-auto"
        >
          <ChevronRight
            size={16}
            aria-hidden
            className={cx('text-muted transition-transform', id === row && 'rotate-90')}
          />
        </IconButton>
        <Link
          to="/console/network-volumes/$id"
          params={{ id }}
          title={name}
          className="truncate font-semi hover:underline"
        >
          {name}
        </Link>
      </>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    phone: 'aside',
    cell: volume => <VolumeState volume={volume} narrow />,
  },
  {
    id: 'region',
    header: 'Region',
    className: `whitespace-nowrap ${whereWide}`,
    cell: ({ region, hardware }) => (
      <span className="text-muted">
        {region}
        {hardware === 'simulated' && <span className="text-label font-normal sm:block"> simulated</span>}
      </span>
    ),
  },
  {
    id: 'instance',
    header: 'Attached to',
    className: 'max-w-names truncate max-sm:max-w-full',
    cell: volume => <Attached volume={volume} onAttach={() => onOpen('attach', volume.id)} />,
  },
  {
    id: 'used',
    header: 'Used',
    className: 'whitespace-nowrap',
    cell: volume => (
      <span className="flex items-center justify-between gap-3">
        <span className={whereWide}>
          <UsedBar volume={volume} width={barLength(volume.size_gb, largest)} />
        </span>
        <span className={cx('tabular-nums xl:text-right', isNearlyFull(volume) && 'font-semi text-warn')}>
          {usedText(volume)}
          {volume.growing && (
            <span className="text-label font-normal text-info sm:block">
              <span className="sm:hidden">, </span>growing
            </span>
          )}
        </span>
      </span>
    ),
  },
  {
    id: 'cost',
    header: 'Per month',
    numeric: true,
    cell: ({ monthly_cost }) => (
      <>
        <Money value={monthly_cost} />
        <span className="sm:hidden"> per month</span>
      </>
    ),
  },
  {
    id: 'renews',
    header: 'Renews',
    numeric: true,
    className: whereWide,
    cell: ({ renews_at }) => <Renews at={renews_at} />,
  },
]

function Attached({ volume, onAttach }: { readonly volume: Volume; readonly onAttach: () => void }) {
  const { instance } = volume
  if (instance)
    return (
      <Link to="/console/instances/$id" params={{ id: instance.id }} className="link" title={instance.name}>
        {instance.name}
      </Link>
    )
  if (volume.lapsed_at !== null && volume.status !== 'deleting') return <Revive volume={volume} />
  if (whyNot('attach', volume) !== null) return <span className="text-muted max-sm:hidden">–</span>
  return (
    <button type="button" aria-label={`Attach ${volume.name}`} onClick={onAttach} className={textButton}>
      Attach
    </button>
  )
}

/** Nothing can be done with it before. */
function Revive({ volume }: { readonly volume: Volume }) {
  const { revive } = useVolumeActions(volume)
  return (
    <button
      type="button"
      aria-label={`Restore, ${formatMoney(volume.monthly_cost)}: ${volume.name}`}
      aria-disabled={revive.isPending || undefined}
      onClick={() => revive.isPending || revive.mutate()}
      className={textButton}
    >
      Restore, {formatMoney(volume.monthly_cost)}
    </button>
  )
}

const textButton = 'min-h-6 font-medium text-ink hover:underline pointer-coarse:min-h-touch'
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

/** A month away at most, so the year says nothing. */
function Renews({ at }: { readonly at: string | null }) {
  if (at === null) return <span className="text-muted max-sm:hidden">–</span>
  const date = new Date(at)
  return (
    <>
      <span className="sm:hidden">renews </span>
      <time dateTime={at} title={formatExact(date)} className="whitespace-nowrap text-muted">
        {day.format(date)}
      </time>
    </>
  )
}

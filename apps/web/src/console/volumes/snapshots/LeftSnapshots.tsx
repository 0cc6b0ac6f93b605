import { useQuery } from '@tanstack/react-query'
import { CopyCall } from '../../shell/CopyCall.tsx'
import { volumesSummaryQuery } from '../queries.ts'
import type { VolumeDialog } from '../volumes-search.ts'
import { leftSnapshotsQuery } from './queries.ts'
import { SnapshotRows, togetherText } from './SnapshotRows.tsx'

interface LeftSnapshotsProps {
  readonly onOpen: (dialog: VolumeDialog, id: string) => void
}

/** They live on when their volume is gone, and cost; so they stand in sight. Nothing where there are none. */
export function LeftSnapshots({ onOpen }: LeftSnapshotsProps) {
  const summary = useQuery(volumesSummaryQuery)
  const hasAny = (summary.data?.snapshots ?? 0) > 0
  const left = useQuery({ ...leftSnapshotsQuery, enabled: hasAny })
  const snapshots = hasAny ? (left.data ?? []) : []
  if (snapshots.length === 0) return null
  return (
    <section aria-labelledby="left-snapshots" className="flex flex-col gap-2 pt-4">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h2 id="left-snapshots" className="text-heading">
          Snapshots of deleted volumes
        </h2>
        <span className="mr-auto text-muted tabular-nums">{togetherText(snapshots, false)}</span>
        <CopyCall call="volumes.allSnapshots" />
      </div>
      <div className="rounded-panel border border-line bg-raised px-3 py-1">
        <SnapshotRows
          label="Snapshots of deleted volumes"
          snapshots={snapshots}
          withVolume
          onRestore={id => onOpen('restore', id)}
          onDelete={id => onOpen('delete-snapshot', id)}
        />
      </div>
    </section>
  )
}

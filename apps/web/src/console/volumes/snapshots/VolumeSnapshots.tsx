import type { Volume } from '@ingot/contracts/volumes'
import { Button } from '../../../ui/Button.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { LoadMore } from '../../list/LoadMore.tsx'
import { CopyCall } from '../../shell/CopyCall.tsx'
import { useOfflineReason } from '../../shell/online.ts'
import { QueryView } from '../../shell/QueryView.tsx'
import { whyNot } from '../volume-text.ts'
import type { VolumeDialog } from '../volumes-search.ts'
import { useSnapshots } from './queries.ts'
import { SnapshotRows, togetherText } from './SnapshotRows.tsx'

interface VolumeSnapshotsProps {
  readonly volume: Volume
  /** `restore` and `delete-snapshot` with the id of a snapshot, `snapshot` with the volume's. */
  readonly onOpen: (dialog: VolumeDialog, id: string) => void
}

/** What was kept of one volume, in its opened row and on its page. */
export function VolumeSnapshots({ volume, onOpen }: VolumeSnapshotsProps) {
  const { list, rows } = useSnapshots(volume.id)
  const offline = useOfflineReason()
  const { id, name } = volume
  return (
    <section aria-label={`Snapshots of ${name}`} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h2 className="text-heading">Snapshots</h2>
        <span className="mr-auto text-muted tabular-nums">{togetherText(rows, list.hasNextPage)}</span>
        <CopyCall call="volumes.snapshots" values={{ id }} />
        <Button disabledReason={whyNot('snapshot', volume) ?? offline} onClick={() => onOpen('snapshot', id)}>
          Take snapshot
        </Button>
      </div>
      <QueryView
        query={list}
        failed="The snapshots could not be loaded"
        consequence="They stay as they are."
        skeleton={<Skeleton className="h-row" />}
      >
        {() =>
          rows.length === 0 ? (
            <p className="pb-1 text-muted">
              None yet. A snapshot keeps what the volume holds at one moment, also when the volume is deleted.
            </p>
          ) : (
            <SnapshotRows
              label={`Snapshots of ${name}`}
              snapshots={rows}
              onRestore={snapshot => onOpen('restore', snapshot)}
              onDelete={snapshot => onOpen('delete-snapshot', snapshot)}
            />
          )
        }
      </QueryView>
      <LoadMore list={list} />
    </section>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { errorText, requestIdOf } from '../shell/error-text.ts'
import { sentence } from '../shell/sentence.ts'
import { AttachDialog } from './dialogs/AttachDialog.tsx'
import { DeleteVolumeDialog } from './dialogs/DeleteVolumeDialog.tsx'
import { GrowDialog } from './dialogs/GrowDialog.tsx'
import { RenameVolumeDialog } from './dialogs/RenameVolumeDialog.tsx'
import { VolumeDetails } from './dialogs/VolumeDetails.tsx'
import { volumeQuery } from './queries.ts'
import { SnapshotDialogs } from './snapshots/SnapshotDialogs.tsx'
import { TakeSnapshotDialog } from './snapshots/TakeSnapshotDialog.tsx'
import type { OpenDialog, VolumeDialog } from './volumes-search.ts'

interface VolumeDialogsProps {
  readonly open: OpenDialog | null
  readonly onClose: () => void
}

/** The dialog that the address names, also of a volume that is not in the list as it is filtered. */
export function VolumeDialogs({ open, onClose }: VolumeDialogsProps) {
  if (!open) return null
  const { dialog, id } = open
  if (dialog === 'restore' || dialog === 'delete-snapshot')
    return <SnapshotDialogs dialog={dialog} id={id} onClose={onClose} />
  return <OfVolume dialog={dialog} id={id} onClose={onClose} />
}

interface OfVolumeProps {
  readonly dialog: Exclude<VolumeDialog, 'restore' | 'delete-snapshot'>
  readonly id: string
  readonly onClose: () => void
}

function OfVolume({ dialog, id, onClose }: OfVolumeProps) {
  const query = useQuery(volumeQuery(id))
  if (!query.data) {
    if (!query.isError) return null
    return (
      <Dialog open onOpenChange={onClose} title="Volume" footer={<Button onClick={onClose}>Close</Button>}>
        <ErrorState title="This volume cannot be shown" requestId={requestIdOf(query.error)}>
          {sentence(errorText(query.error))} It may have been deleted; its history stands in the logs.
        </ErrorState>
      </Dialog>
    )
  }
  const props = { volume: query.data, onClose }
  switch (dialog) {
    case 'details':
      return <VolumeDetails {...props} />
    case 'attach':
      return <AttachDialog {...props} />
    case 'rename':
      return <RenameVolumeDialog {...props} />
    case 'grow':
      return <GrowDialog {...props} />
    case 'snapshot':
      return <TakeSnapshotDialog {...props} />
    case 'delete':
      return <DeleteVolumeDialog {...props} />
  }
}

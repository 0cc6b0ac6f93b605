import { useQuery } from '@tanstack/react-query'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { ErrorState } from '../../../ui/ErrorState.tsx'
import { errorText, requestIdOf } from '../../shell/error-text.ts'
import { sentence } from '../../shell/sentence.ts'
import { DeleteSnapshotDialog } from './DeleteSnapshotDialog.tsx'
import { snapshotQuery } from './queries.ts'
import { RestoreDialog } from './RestoreDialog.tsx'

interface SnapshotDialogsProps {
  readonly dialog: 'restore' | 'delete-snapshot'
  readonly id: string
  readonly onClose: () => void
}

/** What is done with one snapshot. What would return is as of now. */
export function SnapshotDialogs({ dialog, id, onClose }: SnapshotDialogsProps) {
  const query = useQuery({ ...snapshotQuery(id), refetchOnMount: 'always' })
  if (!query.data) {
    if (!query.isError) return null
    return (
      <Dialog open onOpenChange={onClose} title="Snapshot" footer={<Button onClick={onClose}>Close</Button>}>
        <ErrorState title="This snapshot cannot be shown" requestId={requestIdOf(query.error)}>
          {sentence(errorText(query.error))} It may have been deleted.
        </ErrorState>
      </Dialog>
    )
  }
  const props = { snapshot: query.data, onClose }
  return dialog === 'restore' ? <RestoreDialog {...props} /> : <DeleteSnapshotDialog {...props} />
}

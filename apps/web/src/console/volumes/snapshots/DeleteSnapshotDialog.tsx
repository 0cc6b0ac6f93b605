import { parseUsd } from '@ingot/contracts/money'
import type { VolumeSnapshot } from '@ingot/contracts/volume/snapshots'
import { useMutation } from '@tanstack/react-query'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { formatExact, formatMoney } from '../../../ui/format.ts'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { CopyCall } from '../../shell/CopyCall.tsx'
import { errorText } from '../../shell/error-text.ts'
import { formatStored } from '../volume-text.ts'
import { useRefreshSnapshots } from './queries.ts'

interface DeleteSnapshotDialogProps {
  readonly snapshot: VolumeSnapshot
  readonly onClose: () => void
}

export function DeleteSnapshotDialog({ snapshot, onClose }: DeleteSnapshotDialogProps) {
  const refresh = useRefreshSnapshots()
  const { id, name, volume_name, used_bytes, created_at, returns } = snapshot
  const remove = useMutation({
    mutationFn: () => api.volumes.deleteSnapshot({ id }),
    onSuccess: () => {
      toast.success('Snapshot deleted successfully')
      onClose()
    },
    onSettled: refresh,
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Delete snapshot"
      confirmLabel="Delete snapshot"
      busyLabel="Deleting..."
      busy={remove.isPending}
      error={remove.error && `Failed to delete snapshot: ${errorText(remove.error)}`}
      command={<CopyCall call="volumes.deleteSnapshot" values={{ id }} />}
      onConfirm={() => remove.mutate()}
    >
      <p>
        <strong className="font-semi text-ink">{name}</strong>
        {used_bytes !== null && `, ${formatStored(used_bytes)} GB`} of {volume_name}, taken on{' '}
        {formatExact(new Date(created_at))}, will be gone. This cannot be undone. The volume and its other
        snapshots stay.
      </p>
      <p className="pt-2">
        {parseUsd(returns) > 0n
          ? `${formatMoney(returns)} of its month returns to your balance.`
          : 'Nothing of its month is left to return.'}
      </p>
    </ConfirmDialog>
  )
}

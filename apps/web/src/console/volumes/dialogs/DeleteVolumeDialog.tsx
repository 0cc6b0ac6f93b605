import { parseUsd } from '@ingot/contracts/money'
import type { Volume } from '@ingot/contracts/volumes'
import { useMutation, useQuery } from '@tanstack/react-query'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { formatMoney } from '../../../ui/format.ts'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { CopyCall } from '../../shell/CopyCall.tsx'
import { errorText } from '../../shell/error-text.ts'
import { useKeepVolume, volumeQuery } from '../queries.ts'
import { formatSize, formatStored } from '../volume-text.ts'

interface DeleteVolumeDialogProps {
  readonly volume: Volume
  readonly onClose: () => void
}

/** Names the object, the loss and the money; whoever uses it is detached first. */
export function DeleteVolumeDialog({ volume: given, onClose }: DeleteVolumeDialogProps) {
  const keep = useKeepVolume()
  // What returns becomes less by the hour.
  const fresh = useQuery({ ...volumeQuery(given.id), refetchOnMount: 'always', refetchInterval: 60_000 })
  const volume = fresh.data ?? given
  const { id, name, size_gb, used_bytes, instance, returns } = volume
  const remove = useMutation({
    mutationFn: () => api.volumes.delete({ id }),
    onSuccess: deleted => {
      keep(deleted)
      toast.success('Volume deleted successfully')
      onClose()
    },
    onError: () => toast.error('Failed to delete volume'),
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={instance ? 'Detach and delete volume' : 'Delete volume'}
      confirmLabel={instance ? 'Detach and delete' : 'Delete volume'}
      busyLabel="Deleting..."
      busy={remove.isPending}
      typed={name}
      error={remove.error && `Failed to delete volume: ${errorText(remove.error)}`}
      command={<CopyCall call="volumes.delete" values={{ id }} />}
      onConfirm={() => remove.mutate()}
    >
      {instance && (
        <p className="pb-2">
          <strong className="font-semi text-ink">{name}</strong> is in use by{' '}
          <strong className="font-semi text-ink">{instance.name}</strong>. It is detached first: what runs
          there loses it.
        </p>
      )}
      <p>
        <strong className="font-semi text-ink">{name}</strong> and{' '}
        {used_bytes === null
          ? `all on its ${formatSize(size_gb)}`
          : `the ${formatStored(used_bytes)} GB on it`}{' '}
        will be gone. This cannot be undone. Its snapshots stay, and each is paid for until you delete it.
      </p>
      <p className="pt-2">
        {parseUsd(returns) > 0n
          ? `${formatMoney(returns)} of its month returns to your balance.`
          : 'Nothing of its month is left to return.'}
      </p>
    </ConfirmDialog>
  )
}

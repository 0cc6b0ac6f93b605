import type { Instance } from '@ingot/contracts/instances'
import { formatUsd } from '@ingot/contracts/money'
import { useMutation } from '@tanstack/react-query'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { formatDate, formatGb, formatMoney, formatRate } from '../../ui/format.ts'
import { toast } from '../../ui/toast.ts'
import { useNow } from '../../ui/use-now.ts'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { isInTerm, returnsMicro } from '@ingot/contracts/instance-costs'
import { useKeepInstance } from './use-instance-actions.ts'
import { CopyCall } from '../shell/CopyCall.tsx'

interface DeleteInstanceDialogProps {
  readonly instance: Instance
  readonly onClose: () => void
}

/** Names the object, the loss and the money. It goes as soon as the server has taken it; the machine ends after that. */
export function DeleteInstanceDialog({ instance, onClose }: DeleteInstanceDialogProps) {
  const keep = useKeepInstance()
  const now = useNow(1000)
  const { id, name, status, storage_gb, network_volume_id, queue } = instance
  const remove = useMutation({
    mutationFn: () => api.instances.delete({ id }),
    onSuccess: deleted => {
      keep(deleted)
      toast.success(`${name} deleted successfully`)
      onClose()
    },
  })
  const returns = returnsMicro(instance, now)
  const about = status === 'running' || instance.paid_until !== null ? 'About ' : ''
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title="Delete instance"
      confirmLabel="Delete instance"
      busyLabel="Deleting..."
      busy={remove.isPending}
      error={remove.error && `Failed to delete instance: ${errorText(remove.error)}`}
      command={<CopyCall call="instances.delete" values={{ id }} />}
      onConfirm={() => remove.mutate()}
    >
      <p>
        <strong className="font-semi text-ink">{name}</strong>
        {queue?.is_new ? ' leaves the queue and' : ` and its ${formatGb(storage_gb)} disk`} will be gone. This
        cannot be undone.{status === 'running' && ' What runs on it ends now.'}
        {network_volume_id !== null && ' Its network volume stays.'}
      </p>
      <p className="pt-2">
        {queue && `${formatMoney(queue.set_aside)} that is set aside returns to your balance. `}
        {queue?.is_new
          ? 'Nothing was charged for it.'
          : returns > 0n
            ? `${about}${formatMoney(formatUsd(returns))} of what you paid for it returns to your wallet.`
            : 'Nothing of what you paid for it is left to return.'}
        {isInTerm(instance, now) &&
          ` The time held since ${formatDate(new Date(instance.created_at))} is charged at ${formatRate(instance.hourly_cost)} per hour, never more than was paid.`}
      </p>
    </ConfirmDialog>
  )
}

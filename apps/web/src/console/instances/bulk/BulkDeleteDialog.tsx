import type { Instance } from '@ingot/contracts/instances'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { CopyCurlButton } from '../../shell/CopyCurlButton.tsx'
import { statusWords } from '../instance-status.ts'
import { deleteTexts } from './bulk-text.ts'
import { curlOf } from '../../shell/CopyCall.tsx'

interface BulkDeleteDialogProps {
  readonly instances: readonly Instance[]
  readonly onClose: () => void
  readonly onConfirm: () => void
}

/** Names every one of them, the loss and the money. More than one takes their number, typed: no key pressed once does it. */
export function BulkDeleteDialog({ instances, onClose, onConfirm }: BulkDeleteDialogProps) {
  const now = useNow(1000)
  const count = instances.length
  const name = count === 1 ? 'Delete 1 instance' : `Delete ${count} instances`
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={name}
      confirmLabel={name}
      typed={count > 1 ? String(count) : undefined}
      command={
        <CopyCurlButton text={instances.map(({ id }) => curlOf('instances.delete', { id })).join('\n')} />
      }
      onConfirm={onConfirm}
    >
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
      <ul tabIndex={0} aria-label="To be deleted" className="mb-2 max-h-chart overflow-y-auto text-ink">
        {instances.map(({ id, name, status, gpu_count, gpu_type }) => (
          <li key={id} className="flex flex-wrap justify-between gap-x-4 py-1">
            <strong className="font-semi break-all">{name}</strong>
            <span className="text-muted">
              {gpu_count}× {gpu_type}, {statusWords[status].toLowerCase()}
            </span>
          </li>
        ))}
      </ul>
      {deleteTexts(instances, now).map(text => (
        <p key={text} className="pt-1">
          {text}
        </p>
      ))}
    </ConfirmDialog>
  )
}

import type { Instance } from '@ingot/contracts/instances'
import { startNeedsMicro } from '@ingot/contracts/instance-costs'
import { formatUsd } from '@ingot/contracts/money'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { CommandBlock } from '../../../ui/CommandBlock.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { formatMoney, formatRate } from '../../../ui/format.ts'
import { toast } from '../../../ui/toast.ts'
import { useNow } from '../../../ui/use-now.ts'
import { errorText } from '../../shell/error-text.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { commandsFor } from '../command-text.ts'
import { useInstanceActions } from '../use-instance-actions.ts'

interface QueueStartDialogProps {
  readonly instance: Instance
  readonly onClose: () => void
}

/** Its start found no place: it may wait for one. */
export function QueueStartDialog({ instance, onClose }: QueueStartDialogProps) {
  const { queue } = useInstanceActions(instance)
  const offline = useOfflineReason()
  const needs = startNeedsMicro(instance, useNow(60_000))
  const { id, name, gpu_type, region } = instance
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!queue.isPending}
      title={`No ${gpu_type} is free for ${name}`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            busy={queue.isPending}
            disabledReason={offline}
            onClick={() => queue.mutate(undefined, { onSuccess: onClose })}
          >
            Wait in the queue
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p>
          It can wait for a place in {region}, and then starts by itself, at{' '}
          {formatRate(instance.hourly_cost)} per hour as before. You are told by mail.{' '}
          {needs > 0n
            ? `${formatMoney(formatUsd(needs))} of your balance is set aside for its first ten minutes. Leaving the queue returns it.`
            : 'What is prepaid for it covers the start, so nothing is set aside.'}
        </p>
        {queue.error && <Band tone="danger">Failed to queue: {errorText(queue.error)}</Band>}
        <CommandBlock
          label="The same as a command"
          commands={commandsFor(location.origin, 'start', { id, when_full: 'queue' })}
          onCopied={() => toast.success('Copied to clipboard')}
        />
      </div>
    </Dialog>
  )
}

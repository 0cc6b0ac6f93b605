import type { Instance } from '@ingot/contracts/instances'
import type { Queue } from '@ingot/contracts/instance/places'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { CommandBlock } from '../../../ui/CommandBlock.tsx'
import { PropertyList } from '../../../ui/PropertyList.tsx'
import { Time } from '../../../ui/Time.tsx'
import { toast } from '../../../ui/toast.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { commandsFor } from '../command-text.ts'
import { setAsideText } from '../queue-text.ts'
import { useInstanceActions } from '../use-instance-actions.ts'

interface QueueStateProps {
  readonly instance: Instance
  readonly queue: Queue
  /** It was never deployed, so there is nothing left of it. */
  readonly onGone: () => void
}

/** Where it stands in the queue, what is set aside for it, and the way out. */
export function QueueState({ instance, queue, onGone }: QueueStateProps) {
  const { leave } = useInstanceActions(instance)
  const offline = useOfflineReason()
  return (
    <section className="flex flex-col gap-3">
      <h3 className="text-heading">In the queue</h3>
      {queue.blocked !== null && (
        <Band tone="warn">{queue.blocked} Until then others go before it. Its turn is kept.</Band>
      )}
      <PropertyList
        properties={[
          { name: 'Place', value: `${queue.position} of those who wait for the same` },
          { name: 'Waits since', value: <Time at={queue.since} exact /> },
          { name: 'Set aside', value: setAsideText(queue) },
        ]}
      />
      <CommandBlock
        label="Leaving as a command"
        commands={commandsFor(location.origin, 'leaveQueue', { id: instance.id })}
        onCopied={() => toast.success('Copied to clipboard')}
      />
      <Button
        className="self-start"
        busy={leave.isPending}
        disabledReason={offline}
        onClick={() => leave.mutate(undefined, { onSuccess: () => queue.is_new && onGone() })}
      >
        {queue.is_new ? 'Leave the queue and delete' : 'Leave the queue'}
      </Button>
    </section>
  )
}

import { type Instance, whyNot } from '@ingot/contracts/instances'
import { Play, Square } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import type { ButtonVariant } from '../../ui/button-class.ts'
import { useNow } from '../../ui/use-now.ts'
import { useOfflineReason } from '../shell/online.ts'
import { cardText } from './action-text.ts'
import { QueueStartDialog } from './queue/QueueStartDialog.tsx'
import { isFull, useInstanceActions } from './use-instance-actions.ts'

interface PowerButtonProps {
  readonly instance: Instance
  /** `ghost`: in a row, where it is as wide as its column and a sign alone on a phone. */
  readonly variant?: ButtonVariant
}

/** Start while it is stopped or on its way there, Stop while it runs or is about to. Where no place is free, waiting is offered. */
export function PowerButton({ instance, variant = 'ghost' }: PowerButtonProps) {
  const { start, stop } = useInstanceActions(instance)
  const [offersQueue, setOffersQueue] = useState(false)
  const offline = useOfflineReason()
  const now = useNow(60_000)
  const { name, status } = instance
  const act = status === 'running' || status === 'starting' ? 'stop' : 'start'
  const Icon = act === 'stop' ? Square : Play
  const press = () =>
    act === 'stop'
      ? stop.mutate()
      : start.mutate(undefined, {
          onError: error => isFull(error) && !instance.queue && setOffersQueue(true),
        })
  return (
    <>
      <Button
        variant={variant}
        className={variant === 'ghost' ? 'w-full' : undefined}
        icon={<Icon size={12} aria-hidden fill="currentColor" />}
        busy={act === 'stop' ? stop.isPending : start.isPending}
        disabledReason={whyNot(act, status) ?? offline}
        onClick={press}
        aria-label={`${act === 'stop' ? 'Stop' : 'Start'} ${name}`}
        title={act === 'stop' && status === 'running' ? cardText(instance, now) : undefined}
      >
        <span className={variant === 'ghost' ? 'max-sm:sr-only' : undefined}>
          {act === 'stop' ? 'Stop' : 'Start'}
        </span>
      </Button>
      {offersQueue && <QueueStartDialog instance={instance} onClose={() => setOffersQueue(false)} />}
    </>
  )
}

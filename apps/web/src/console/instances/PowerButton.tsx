import { type Instance, whyNot } from '@ingot/contracts/instances'
import { Play, Square } from 'lucide-react'
import { Button } from '../../ui/Button.tsx'
import { useOfflineReason } from '../shell/online.ts'
import { useInstanceActions } from './use-instance-actions.ts'

/** Start while it is stopped or on its way there, Stop while it runs or is about to. */
export function PowerButton({ instance }: { readonly instance: Instance }) {
  const { start, stop } = useInstanceActions(instance)
  const offline = useOfflineReason()
  const { name, status } = instance
  const act = status === 'running' || status === 'starting' ? 'stop' : 'start'
  const { mutate, isPending } = act === 'stop' ? stop : start
  const Icon = act === 'stop' ? Square : Play
  return (
    <Button
      variant="ghost"
      className="w-full"
      icon={<Icon size={12} aria-hidden fill="currentColor" />}
      busy={isPending}
      disabledReason={whyNot(act, status) ?? offline}
      onClick={() => mutate()}
      aria-label={`${act === 'stop' ? 'Stop' : 'Start'} ${name}`}
    >
      <span className="max-sm:sr-only">{act === 'stop' ? 'Stop' : 'Start'}</span>
    </Button>
  )
}

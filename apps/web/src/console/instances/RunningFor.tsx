import type { Instance } from '@ingot/contracts/instances'
import { formatDuration } from '../../ui/format.ts'
import { useNow } from '../../ui/use-now.ts'
import { progressText, reasonOf } from './instance-status.ts'
import { placeText } from './queue-text.ts'

/** How long it has been in its state, ticking; for a stop that nobody asked for, why; for a start, what it waits for. */
export function RunningFor({ instance }: { readonly instance: Instance }) {
  const now = useNow(1000).getTime()
  const reason = reasonOf(instance)
  if (instance.progress) return <span className="text-muted">{progressText(instance.progress)}</span>
  if (instance.queue)
    return (
      <span className={instance.queue.blocked ? 'text-warn' : 'text-muted'}>{placeText(instance.queue)}</span>
    )
  if (reason) return <span className={reason.tone}>{reason.short}</span>
  const since =
    instance.status === 'running' || instance.status === 'starting'
      ? instance.started_at
      : instance.stopped_at
  if (since === null) return <span className="text-muted">never started</span>
  const length = formatDuration(now - Date.parse(since))
  return <span className="text-muted">{instance.status === 'stopped' ? `off for ${length}` : length}</span>
}

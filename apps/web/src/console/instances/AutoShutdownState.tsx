import type { Instance } from '@ingot/contracts/instances'
import { formatDuration } from '../../ui/format.ts'
import { Time } from '../../ui/Time.tsx'
import { useNow } from '../../ui/use-now.ts'
import { autoShutdownText } from './auto-shutdown.ts'

/** What will happen and, while it is idle, when. */
export function AutoShutdownState({ instance }: { readonly instance: Instance }) {
  const now = useNow(1000).getTime()
  const { auto_shutdown_at } = instance
  const left = auto_shutdown_at === null ? null : Date.parse(auto_shutdown_at) - now
  return (
    <>
      {autoShutdownText(instance)}.{left !== null && left > 0 && <> Idle now: {formatDuration(left)} left.</>}
      {instance.snoozed_until !== null && (
        <>
          {' '}
          Kept on until <Time at={instance.snoozed_until} exact />.
        </>
      )}
      {left !== null && left <= 0 && <> Idle now: it stops at the next check.</>}
    </>
  )
}

import type { Instance } from '@ingot/contracts/instances'
import { Link } from '@tanstack/react-router'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { cardText } from '../action-text.ts'
import { progressText } from '../instance-status.ts'
import { useNow } from '../../../ui/use-now.ts'
import { QueueState } from '../queue/QueueState.tsx'
import { useWallet } from '../../wallet/wallet.tsx'
import { noticeOf } from './notice.ts'

interface StateNoticeProps {
  readonly instance: Instance
  /** What waited for its deploy has left the queue: nothing of it is left. */
  readonly onGone: () => void
}

/** While it does not simply run: what happened, and what can be done about it. */
export function StateNotice({ instance, onGone }: StateNoticeProps) {
  const { id, status, queue, progress, status_message } = instance
  const now = useNow(60_000)
  const wallet = useWallet()
  if (queue) return <QueueState instance={instance} queue={queue} onGone={onGone} />
  const notice = noticeOf(instance)
  if (!notice && !status_message) {
    if (status === 'running') return null
    return (
      <p className="text-muted">
        {status === 'stopped' &&
          `It is stopped. Its disk stays, and it costs $0.00 per hour. ${cardText(instance, now)}`}
        {status === 'starting' &&
          `${progress ? `${progressText(progress)}. ` : 'It starts. '}It costs nothing by the hour until it runs.`}
        {status === 'stopping' && 'It stops. What runs on it is asked to end.'}
      </p>
    )
  }
  const link = (to: '/logs' | '/settings', words: string) => (
    <Link to={`/console/instances/$id${to}`} params={{ id }} className="min-h-6 underline">
      {words}
    </Link>
  )
  return (
    <Band
      tone={notice?.tone ?? 'warn'}
      action={
        notice && (
          <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
            {notice.ways.includes('funds') && <Button onClick={() => wallet.addFunds()}>Add funds</Button>}
            {notice.ways.includes('log') && link('/logs', 'Read its log')}
            {notice.ways.includes('settings') && link('/settings', 'Change when it stops')}
            {notice.ways.includes('details') && (
              <Link
                to="/console/instances/$id"
                params={{ id }}
                search={{ dialog: 'details' }}
                className="min-h-6 underline"
              >
                Change its budget
              </Link>
            )}
          </span>
        )
      }
    >
      <span className="break-words whitespace-pre-line">{status_message ?? notice?.words}</span>
      {notice?.next && <span className="block font-normal">{notice.next}</span>}
    </Band>
  )
}

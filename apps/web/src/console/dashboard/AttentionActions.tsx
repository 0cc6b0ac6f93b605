import type { AttentionItem } from '@ingot/contracts/activity'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button } from '../../ui/Button.tsx'
import { buttonClass } from '../../ui/button-class.ts'
import { toast } from '../../ui/toast.ts'
import { refusedText } from '../instances/action-text.ts'
import { openDialog, openPicker } from '../instances/instances-search.ts'
import { serviceNow } from '../instances/settings/SnoozeControl.tsx'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { useOfflineReason } from '../shell/online.ts'
import { useWallet } from '../wallet/wallet.tsx'
import { openCreate } from '../volumes/volumes-search.ts'
import type { AttentionAct } from './attention-text.ts'
import { hourMs } from './times.ts'

const keepMs = 2 * hourMs
type ServiceAct = Extract<AttentionAct, 'keep' | 'stop' | 'start' | 'leave'>

/** What is asked of the service, and what is said when it has agreed. */
const asked: Record<
  ServiceAct,
  { readonly label: string; readonly call: (id: string) => Promise<unknown>; readonly done: string }
> = {
  keep: {
    label: 'Keep 2 h',
    call: id => api.instances.snooze({ id, until: new Date(serviceNow().getTime() + keepMs).toISOString() }),
    done: 'is kept on for 2 hours.',
  },
  stop: { label: 'Stop now', call: id => api.instances.stop({ id }), done: 'stops.' },
  start: { label: 'Start', call: id => api.instances.start({ id }), done: 'starts.' },
  leave: {
    label: 'Leave the queue',
    call: id => api.instances.leaveQueue({ id }),
    done: 'left the queue. What was set aside is in your balance again.',
  },
}

export function AttentionActions({
  item,
  acts,
  subject,
}: {
  readonly item: AttentionItem
  readonly acts: readonly AttentionAct[]
  readonly subject: string
}) {
  return (
    <span className="flex flex-wrap gap-2 max-sm:w-full max-sm:pl-5">
      {acts.map(act => (
        <Act key={act} act={act} id={item.instance_id} volumeId={item.volume_id} subject={subject} />
      ))}
    </span>
  )
}

interface ActProps {
  readonly act: AttentionAct
  readonly id: string | null
  readonly volumeId: string | null
  readonly subject: string
}

function Act({ act, id, volumeId, subject }: ActProps) {
  const { addFunds } = useWallet()
  const about = <span className="sr-only">: {subject}</span>
  switch (act) {
    case 'funds':
      return <Button onClick={() => addFunds()}>Add funds</Button>
    case 'deploy':
      return (
        <Link to="/console/instances" search={openPicker} className={buttonClass()}>
          Deploy Instance
        </Link>
      )
    case 'budgets':
      return (
        <Link to="/console/billing" className={buttonClass()}>
          See the budgets
        </Link>
      )
    case 'support':
      return (
        <Link to="/console/support" className={buttonClass()}>
          Support
        </Link>
      )
    case 'create':
      return (
        <Link to="/console/network-volumes" search={openCreate} className={buttonClass()}>
          Create Network Volume
        </Link>
      )
    case 'volumes':
      return (
        <Link to="/console/network-volumes" className={buttonClass()}>
          See the snapshots
        </Link>
      )
    case 'volume':
      return (
        volumeId && (
          <Link to="/console/network-volumes/$id" params={{ id: volumeId }} className={buttonClass()}>
            See the volume{about}
          </Link>
        )
      )
    case 'stopped':
      return (
        <Link to="/console/instances" search={{ status: 'stopped' }} className={buttonClass()}>
          See them
        </Link>
      )
  }
  if (id === null) return null
  if (act === 'edit')
    return (
      <Link to="/console/instances" search={openDialog('edit', id)} className={buttonClass()}>
        Edit{about}
      </Link>
    )
  if (act === 'log' || act === 'events')
    return (
      <Link
        to="/console/instances/$id"
        params={{ id }}
        search={{ tab: act === 'log' ? 'logs' : 'events' }}
        className={buttonClass()}
      >
        {act === 'log' ? 'Log' : 'Events'}
        {about}
      </Link>
    )
  return <ServiceButton act={act} id={id} subject={subject} />
}

function ServiceButton({ act, id, subject }: { act: ServiceAct; id: string; subject: string }) {
  const client = useQueryClient()
  const offline = useOfflineReason()
  const { label, call, done } = asked[act]
  const run = useMutation({
    mutationFn: () => call(id),
    onSuccess: async () => {
      toast.info(`${subject} ${done}`)
      for (const noun of ['instances', 'wallet', 'billing'])
        void client.invalidateQueries({ queryKey: [noun] })
      // Busy until the entry is gone.
      await client.invalidateQueries({ queryKey: ['activity'] })
    },
    onError: error =>
      toast.error(
        act === 'stop' || act === 'start' ? refusedText(act, error).text : `${subject}: ${errorText(error)}`,
      ),
  })
  return (
    <Button
      aria-label={`${label}: ${subject}`}
      busy={run.isPending}
      disabledReason={offline}
      onClick={() => run.mutate()}
    >
      {label}
    </Button>
  )
}

import type { HostDetails } from '@ingot/contracts/admin/machines'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { ReasonDialog } from '../ReasonDialog.tsx'
import { Concerned } from './Concerned.tsx'
import { DrainDialog } from './DrainDialog.tsx'
import { useHostAct } from './queries.ts'

type Act = 'cordon' | 'uncordon' | 'cancelDrain'

const words: Record<Act, { readonly title: string; readonly label: string; readonly done: string }> = {
  cordon: { title: 'Cordon host', label: 'Cordon host', done: 'takes nothing new.' },
  uncordon: { title: 'Open host', label: 'Open host', done: 'is open.' },
  cancelDrain: { title: 'Call off the drain', label: 'Call off the drain', done: 'is not drained.' },
}

/** What can be done with a host as it stands. */
export function HostActs({ host }: { readonly host: HostDetails }) {
  const [act, setAct] = useState<Act | 'drain' | null>(null)
  const state = host.maintenance?.state ?? 'open'
  const close = () => setAct(null)
  return (
    <>
      {state === 'open' && <Button onClick={() => setAct('cordon')}>Cordon</Button>}
      {state === 'draining' && <Button onClick={() => setAct('cancelDrain')}>Call off the drain</Button>}
      {state !== 'open' && <Button onClick={() => setAct('uncordon')}>Open</Button>}
      {state !== 'drained' && (
        <Button variant="danger" onClick={() => setAct('drain')}>
          {state === 'draining' ? 'Change the drain' : 'Drain'}
        </Button>
      )}
      {act === 'drain' && <DrainDialog host={host} onClose={close} />}
      {act !== null && act !== 'drain' && <ActDialog key={act} act={act} host={host} onClose={close} />}
    </>
  )
}

interface ActDialogProps {
  readonly act: Act
  readonly host: HostDetails
  readonly onClose: () => void
}

function ActDialog({ act, host, onClose }: ActDialogProps) {
  const { title, label, done } = words[act]
  const offline = useOfflineReason()
  const run = useHostAct(
    (reason: string) => api.machines[act]({ id: host.id, reason }),
    () => {
      toast.success(`${host.name} ${done}`)
      onClose()
    },
  )
  return (
    <ReasonDialog
      open
      onOpenChange={onClose}
      title={title}
      confirmLabel={label}
      busyLabel="One moment..."
      busy={run.isPending}
      error={offline ?? (run.error && errorText(run.error))}
      onConfirm={reason => run.mutate(reason)}
    >
      <What act={act} host={host} />
    </ReasonDialog>
  )
}

function What({ act, host }: Pick<ActDialogProps, 'act' | 'host'>) {
  if (act === 'cordon')
    return (
      <>
        <p>
          Nothing new is placed on {host.name}: no deploy, no start, no volume, nothing from the queue. What
          runs there runs on, and what is paid upfront may start in its place. Nobody is told.
        </p>
        <Concerned host={host} />
      </>
    )
  if (act === 'cancelDrain')
    return (
      <p>
        Nothing stops, and those who were told of the drain are told by mail that it is off. The host stays
        cordoned.
      </p>
    )
  return host.maintenance?.state === 'drained' ? (
    <p>
      {host.name} takes what comes again, and those who wait come first. Nothing that was stopped starts by
      itself: its owners are told by mail that it can. Upfront terms end later by the time since the drain.
    </p>
  ) : (
    <p>
      {host.name} takes what comes again, and those who wait come first.
      {host.maintenance?.state === 'draining' &&
        ' The drain is called off, and those concerned are told by mail.'}
    </p>
  )
}

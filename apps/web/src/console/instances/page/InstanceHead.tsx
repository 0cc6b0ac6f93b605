import { type Instance, whyNot } from '@ingot/contracts/instances'
import { Button } from '../../../ui/Button.tsx'
import { useShortcut } from '../../../ui/shortcuts.ts'
import { StatusMark } from '../../../ui/StatusMark.tsx'
import { useOfflineReason } from '../../shell/online.ts'
import { InstanceMenu } from '../InstanceMenu.tsx'
import { kindOf, statusWords } from '../instance-status.ts'
import type { InstanceDialog } from '../instances-search.ts'
import { PowerButton } from '../PowerButton.tsx'
import { RunningFor } from '../RunningFor.tsx'
import { useInstanceActions } from '../use-instance-actions.ts'

interface InstanceActionsProps {
  readonly instance: Instance
  readonly onOpen: (dialog: InstanceDialog) => void
}

/** Connect is the primary one while it runs, Start while it is stopped. */
export function InstanceActions({ instance, onOpen }: InstanceActionsProps) {
  const { restart } = useInstanceActions(instance)
  const offline = useOfflineReason()
  const { name, status } = instance
  const canConnect = whyNot('connect', status) === null
  useShortcut('o', () => onOpen('ssh'), canConnect)
  return (
    <>
      <PowerButton instance={instance} variant={status === 'stopped' ? 'primary' : 'secondary'} />
      <Button
        className="max-sm:hidden"
        aria-label={`Restart ${name}`}
        busy={restart.isPending}
        disabledReason={whyNot('restart', status) ?? offline}
        onClick={() => restart.mutate()}
      >
        Restart
      </Button>
      <InstanceMenu instance={instance} onOpen={onOpen} />
      {canConnect && (
        <Button variant="primary" shortcut="O" onClick={() => onOpen('ssh')} className="max-sm:grow">
          Connect
        </Button>
      )}
    </>
  )
}

/** State, machine and place in one line. */
export function InstanceLine({ instance }: { readonly instance: Instance }) {
  const { status, gpu_count, gpu_type, hardware, region } = instance
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <StatusMark kind={kindOf(instance)} detail={<RunningFor instance={instance} />}>
        {statusWords[status]}
      </StatusMark>
      <span>
        {gpu_count}× {gpu_type}
        {hardware === 'simulated' && ' simulated'}, {region}
      </span>
    </span>
  )
}

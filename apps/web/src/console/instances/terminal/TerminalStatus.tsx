import { IngotError } from '@ingot/contracts/errors'
import type { Instance } from '@ingot/contracts/instances'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { clockOffset, useNow } from '../../../ui/use-now.ts'
import { api } from '../../shell/api.ts'
import { instanceQuery } from '../queries.ts'
import { errorText } from '../../shell/error-text.ts'
import { sentence } from '../../shell/sentence.ts'
import type { TerminalPhase } from './terminal-client.ts'
import type { TerminalEnd } from './use-terminal.ts'

interface TerminalStatusProps {
  readonly phase: TerminalPhase
  readonly end: TerminalEnd
  readonly isBroken: boolean
  readonly instance: Instance | undefined
  readonly onReconnect: () => void
  /** After its end; null: the window goes. */
  readonly onAnother: (() => void) | null
}

/** Why the terminal does not answer, and the way on. The screen below stays as it was. */
export function TerminalStatus(props: TerminalStatusProps) {
  const { phase, end, isBroken, instance, onReconnect, onAnother } = props
  if (isBroken)
    return (
      <Band tone="danger" full action={<Button onClick={() => location.reload()}>Reload</Button>}>
        The terminal could not be loaded.
      </Band>
    )
  if (end === 'exited')
    return (
      <Band tone="info" full action={onAnother && <Button onClick={onAnother}>Open another</Button>}>
        The shell has ended.
      </Band>
    )
  if (end === 'stopped') return instance ? <NotRunning instance={instance} /> : null
  if (phase.kind === 'waiting') return <Waiting phase={phase} onReconnect={onReconnect} />
  if (phase.kind === 'disconnected' && phase.why === 'refused')
    return (
      <Band tone="danger" full action={<Button onClick={onReconnect}>Connect</Button>}>
        {sentence(errorText(phase.error))} Press Enter to connect.
      </Band>
    )
  return null
}

interface WaitingProps {
  readonly phase: TerminalPhase & { readonly kind: 'waiting' }
  readonly onReconnect: () => void
}

function Waiting({ phase, onReconnect }: WaitingProps) {
  // A retry keeps real time, whatever the service's clock shows.
  const now = useNow(1000).getTime() - clockOffset()
  const seconds = Math.max(0, Math.ceil((phase.retryAt - now) / 1000))
  return (
    <Band tone="warn" full action={<Button onClick={onReconnect}>Reconnect</Button>}>
      {sentence(phase.message ?? 'The connection was lost')}{' '}
      <span aria-hidden>Trying again in {seconds} s.</span> Press Enter to reconnect now.
    </Band>
  )
}

const words: Record<Exclude<Instance['status'], 'running'>, string> = {
  stopped: 'is stopped',
  stopping: 'is stopping',
  starting: 'is starting',
  terminated: 'was deleted',
}

/** It connects by itself once the instance runs. */
function NotRunning({ instance }: { readonly instance: Instance }) {
  const cache = useQueryClient()
  const { id, name, status, status_message } = instance
  const start = useMutation({
    mutationFn: () => api.instances.start({ id }),
    onSuccess: started => cache.setQueryData(instanceQuery(id).queryKey, started),
  })
  if (status === 'running') return null
  const isShort = start.error instanceof IngotError && start.error.code === 'insufficient_funds'
  return (
    <Band
      tone={start.error ? 'danger' : 'warn'}
      full
      action={
        <>
          {status === 'stopped' && (
            <Button onClick={() => start.mutate()} busy={start.isPending}>
              Start
            </Button>
          )}
          {isShort && (
            <Link to="/console/billing" className="underline">
              Add funds
            </Link>
          )}
        </>
      }
    >
      {start.error
        ? sentence(errorText(start.error))
        : `${name} ${words[status]}. ${sentence((status === 'stopped' && status_message) || 'The terminal connects when it runs')}`}
    </Band>
  )
}

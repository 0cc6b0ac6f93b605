import type { Instance } from '@ingot/contracts/instances'
import { whyNot } from '@ingot/contracts/instances'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Button } from '../../../ui/Button.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { useShortcut } from '../../../ui/shortcuts.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { toast } from '../../../ui/toast.ts'
import { errorText } from '../../shell/error-text.ts'
import { sentence } from '../../shell/sentence.ts'
import { OpenPortButton } from '../ports/OpenPortButton.tsx'
import { portsQuery, sshAccessQuery } from '../queries.ts'
import { sshCommands } from '../ssh/ssh-commands.ts'
import { Card } from '../../../ui/Card.tsx'

const copied = () => toast.success('Copied to clipboard')
/** The rest of its ports stand under Ports. */
const shownPorts = 5

/** The ways into it: a command to paste, its ports, and a shell in the browser. */
export function ConnectCard({ instance }: { readonly instance: Instance }) {
  const { id, name, status } = instance
  const navigate = useNavigate()
  const refusal = whyNot('connect', status)
  const openTerminal = () => void navigate({ to: '/console/instances/$id/terminal', params: { id } })
  useShortcut('t', openTerminal, refusal === null)
  const ssh = useQuery({ ...sshAccessQuery(id), retry: false })
  const ports = useQuery(portsQuery(id))
  const command = ssh.data && sshCommands(name, ssh.data).connect
  return (
    <Card
      title="Connect"
      className="max-lg:order-2"
      aside={
        <Button shortcut="T" disabledReason={refusal} onClick={openTerminal}>
          Open terminal
        </Button>
      }
    >
      {refusal && <p className="text-muted">{refusal}</p>}
      {ssh.isPending && !ssh.error && <Skeleton className="h-8" />}
      {ssh.error && <p className="text-muted">{sentence(errorText(ssh.error))}</p>}
      {command && (
        <div className="flex items-start justify-between gap-2 rounded-panel bg-sunken px-3 py-1 forced-colors:border">
          <code className="min-w-0 font-mono text-code break-all">{command}</code>
          <CopyButton text={command} what="SSH command" onCopied={copied} />
        </div>
      )}
      {ports.data && (
        <ul aria-label="Ports" className="flex flex-col gap-1">
          {ports.data.slice(0, shownPorts).map(port => (
            <li key={port.port} className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <code className="font-mono text-code">{port.port}</code>
              <span className="min-w-0 grow basis-0 truncate">{port.name}</span>
              <OpenPortButton instance={instance} port={port} />
              <CopyButton text={port.url} what={`Address of ${port.name}`} onCopied={copied} />
            </li>
          ))}
        </ul>
      )}
      {ports.data && (
        <Link
          to="/console/instances/$id/ports"
          params={{ id }}
          className="link inline-flex min-h-6 items-center self-start"
        >
          {ports.data.length > shownPorts ? `All ${ports.data.length} ports` : 'Open another port'}
        </Link>
      )}
    </Card>
  )
}

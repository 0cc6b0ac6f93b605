import type { Instance } from '@ingot/contracts/instances'
import { Link } from '@tanstack/react-router'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { CommandBlock } from '../../ui/CommandBlock.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { formatGb } from '../../ui/format.ts'
import { toast } from '../../ui/toast.ts'
import { type Property, PropertyList } from '../../ui/PropertyList.tsx'
import { StatusMark } from '../../ui/StatusMark.tsx'
import { Tape } from '../../ui/Tape.tsx'
import { Time } from '../../ui/Time.tsx'
import { InstanceBudget } from '../budgets/InstanceBudget.tsx'
import { AutoShutdownState } from './AutoShutdownState.tsx'
import { commandsFor } from './command-text.ts'
import { memoryText } from './gpu-text.ts'
import { InstanceCosts } from './InstanceCosts.tsx'
import { kindOf, statusWords } from './instance-status.ts'
import { InstancePorts } from './ports/InstancePorts.tsx'
import { Placements } from './Placements.tsx'
import { QueueState } from './queue/QueueState.tsx'
import { RunningFor } from './RunningFor.tsx'
import { IdlePanel } from './settings/IdlePanel.tsx'
import { simulatedText } from './simulated-text.ts'

interface InstanceDetailsProps {
  readonly instance: Instance
  readonly onClose: () => void
}

export function InstanceDetails({ instance, onClose }: InstanceDetailsProps) {
  const simulated = simulatedText(instance)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      width="l"
      title={<Tape>{instance.name}</Tape>}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <div className="flex flex-col gap-6">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
          <StatusMark kind={kindOf(instance)} detail={<RunningFor instance={instance} />}>
            {statusWords[instance.status]}
          </StatusMark>
          <span className="text-muted">
            {instance.gpu_count}× {instance.gpu_type}, {instance.region}
          </span>
          <Link
            to="/console/instances/$id"
            params={{ id: instance.id }}
            className="link inline-flex min-h-6 items-center"
          >
            Metrics, logs and events
          </Link>
        </div>
        {instance.status_message && !instance.queue && (
          <Band tone="warn">
            <span className="break-words whitespace-pre-line">{instance.status_message}</span>
          </Band>
        )}
        {simulated && <Band tone="info">{simulated}</Band>}
        {instance.queue && <QueueState instance={instance} queue={instance.queue} onGone={onClose} />}
        <InstanceCosts instance={instance} />
        {!instance.queue?.is_new && <InstanceBudget id={instance.id} name={instance.name} />}
        <section>
          <h3 className="pb-1 text-heading">Properties</h3>
          <PropertyList
            properties={propertiesOf(instance)}
            onCopied={what => toast.success(`${what} copied to clipboard`)}
          />
        </section>
        <InstancePorts instance={instance} />
        <IdlePanel id={instance.id} heading="h3" />
        <Link
          to="/console/instances/$id/settings"
          params={{ id: instance.id }}
          className="link inline-flex min-h-6 items-center self-start"
        >
          Schedules and settings
        </Link>
        <Placements id={instance.id} />
        <CommandBlock
          label="The same as a command"
          commands={commandsFor(location.origin, 'get', { id: instance.id })}
          onCopied={() => toast.success('Copied to clipboard')}
        />
      </div>
    </Dialog>
  )
}

const time = (at: string | null, never: string) => (at === null ? never : <Time at={at} exact />)

function propertiesOf(instance: Instance): Property[] {
  const { id, public_ip } = instance
  return [
    { name: 'Id', value: id, copy: id },
    {
      name: 'GPU',
      value: `${instance.gpu_count}× ${instance.gpu_type}, ${memoryText(instance.gpu_memory_gb, instance.gpu_count)}`,
    },
    { name: 'vCPU and RAM', value: `${instance.cpu_cores} vCPU, ${instance.memory_gb} GB` },
    {
      name: 'Storage',
      value: `${formatGb(instance.system_storage_gb)} system, ${formatGb(instance.data_storage_gb)} data`,
    },
    { name: 'Template', value: instance.template_name },
    { name: 'Region', value: instance.region },
    public_ip === null
      ? { name: 'Public IP', value: 'None. Reached through the web terminal and by SSH.' }
      : { name: 'Public IP', value: public_ip, copy: public_ip },
    { name: 'Auto-shutdown', value: <AutoShutdownState instance={instance} /> },
    { name: 'Created', value: time(instance.created_at, '') },
    { name: 'Last started', value: time(instance.started_at, 'Never') },
    { name: 'Last stopped', value: time(instance.stopped_at, 'Never') },
  ]
}

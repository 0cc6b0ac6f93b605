import type { AdminInstanceDetails } from '@ingot/contracts/admin/instances'
import { whyNot } from '@ingot/contracts/instances'
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../../ui/Button.tsx'
import { formatDate, formatGb } from '../../../ui/format.ts'
import { Money } from '../../../ui/Money.tsx'
import { PropertyList } from '../../../ui/PropertyList.tsx'
import { StatList } from '../../../ui/StatList.tsx'
import { StatusMark } from '../../../ui/StatusMark.tsx'
import { Time } from '../../../ui/Time.tsx'
import { toast } from '../../../ui/toast.ts'
import { kindOf, reasonOf, statusWords } from '../../instances/instance-status.ts'
import { RowLink } from '../../list/RowLink.tsx'
import { useOfflineReason } from '../../shell/online.ts'
import { type InstanceAct, useInstanceActs } from '../acts/use-instance-acts.tsx'
import { anyInstanceQuery } from '../all-queries.ts'
import { opening } from '../tabs/tab-search.ts'
import { UserLink } from '../tabs/UserLink.tsx'
import { DialogView } from './DialogView.tsx'
import { UsageLogs } from './UsageLogs.tsx'

interface InstanceDialogProps {
  readonly id: string
  readonly onClose: () => void
}

/** One instance of anybody: its state, what it has cost by its id, what happened to it, and what may be done. */
export function InstanceDialog({ id, onClose }: InstanceDialogProps) {
  const instance = useQuery(anyInstanceQuery(id))
  const acts = useInstanceActs(onClose)
  return (
    <>
      <DialogView title="Manage Instance" noun="instance" query={instance} onClose={onClose}>
        {data => <Details instance={data} onAct={act => acts.ask(act, data)} />}
      </DialogView>
      {acts.dialog}
    </>
  )
}

interface DetailsProps {
  readonly instance: AdminInstanceDetails
  readonly onAct: (act: InstanceAct) => void
}

function Details({ instance, onAct }: DetailsProps) {
  const { id, name, status, placement } = instance
  const offline = useOfflineReason()
  const button = (act: InstanceAct, label: string) => (
    <Button
      variant={act === 'delete' ? 'danger' : 'secondary'}
      disabledReason={whyNot(act, status) ?? offline}
      onClick={() => onAct(act)}
    >
      {label}
    </Button>
  )
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h3 className="text-heading break-words">{name}</h3>
          <UserLink id={instance.user_id} email={instance.user_email} />
          <p>
            <StatusMark kind={kindOf(instance)} detail={reasonOf(instance)?.short}>
              {statusWords[status]}
            </StatusMark>
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          {button('start', 'Start')}
          {button('stop', 'Stop')}
          {button('delete', 'Delete')}
        </div>
      </div>
      {instance.status_message && <p className="text-muted">{instance.status_message}</p>}
      <StatList
        label="What it costs"
        stats={[
          {
            label: 'Cost so far',
            value: <Money value={instance.cost_total} />,
            hint: 'of this instance, by its id',
          },
          {
            label: 'Per hour',
            value: <Money value={instance.hourly_cost} rate />,
            hint: instance.paid_until
              ? `paid until ${formatDate(new Date(instance.paid_until))}`
              : `billed ${instance.billing_period}`,
          },
        ]}
      />
      <PropertyList
        onCopied={what => toast.success(`${what} copied to clipboard`)}
        properties={[
          { name: 'Id', value: id, copy: id },
          { name: 'GPU', value: `${instance.gpu_count}× ${instance.gpu_type}` },
          {
            name: 'Size',
            value: `${instance.cpu_cores} vCPU, ${instance.memory_gb} GB RAM, ${formatGb(instance.storage_gb)} disk`,
          },
          { name: 'Template', value: instance.template_name },
          {
            name: 'Place',
            value: `${instance.region}, ${instance.driver}${instance.host ? `, ${instance.host}` : ', on no host'}${instance.hardware === 'simulated' ? ' (simulated)' : ''}`,
          },
          ...(placement
            ? [
                {
                  name: 'Last placement',
                  value: (
                    <>
                      {placement.message}{' '}
                      <span className="text-muted">
                        <Time at={placement.at} />
                      </span>
                    </>
                  ),
                },
              ]
            : []),
          {
            name: 'Network volume',
            value: instance.network_volume_id ? (
              <RowLink
                name={instance.volume_name ?? instance.network_volume_id}
                opens={opening('volume', instance.network_volume_id)}
              />
            ) : (
              'none'
            ),
          },
          {
            name: 'Started',
            value: instance.started_at ? <Time at={instance.started_at} exact /> : 'never',
          },
          ...(instance.stopped_at
            ? [{ name: 'Stopped', value: <Time at={instance.stopped_at} exact /> }]
            : []),
          { name: 'Deployed', value: <Time at={instance.created_at} exact /> },
        ]}
      />
      <UsageLogs id={id} />
    </div>
  )
}

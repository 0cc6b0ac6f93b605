import type { Instance } from '@ingot/contracts/instances'
import type { Volume } from '@ingot/contracts/volumes'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { buttonClass } from '../../../ui/button-class.ts'
import { ChoiceTable } from '../../../ui/ChoiceTable.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { StatusMark } from '../../../ui/StatusMark.tsx'
import type { Column } from '../../../ui/TableRow.tsx'
import { toast } from '../../../ui/toast.ts'
import { LoadMore } from '../../list/LoadMore.tsx'
import { api } from '../../shell/api.ts'
import { CopyCall } from '../../shell/CopyCall.tsx'
import { useOfflineReason } from '../../shell/online.ts'
import { QueryView } from '../../shell/QueryView.tsx'
import { FailedBand } from '../FailedBand.tsx'
import { useInstancesIn, useKeepVolume } from '../queries.ts'
import { whyNot } from '../volume-text.ts'
import { whyNotOn } from './why-not-on.ts'

interface AttachDialogProps {
  readonly volume: Volume
  readonly onClose: () => void
}

/** The instances of its region that are stopped or running. Those that can't have it now stay, with the reason. */
export function AttachDialog({ volume, onClose }: AttachDialogProps) {
  const form = useId()
  const keep = useKeepVolume()
  const offline = useOfflineReason()
  const { list, rows } = useInstancesIn(volume.region)
  const [chosen, setChosen] = useState('')
  const instance = rows.find(({ id }) => id === chosen)
  const { id, name, region, mount_path } = volume
  const attach = useMutation({
    mutationFn: (to: Instance) => api.volumes.attach({ id, instance_id: to.id }),
    onSuccess: (attached, to) => {
      keep(attached)
      toast.success(
        to.status === 'running'
          ? `${name} is attached to ${to.name}, at ${attached.mount_path}.`
          : `${name} is attached to ${to.name}. Its next start mounts it at ${attached.mount_path}.`,
      )
      onClose()
    },
    onError: () => toast.error('Failed to attach volume'),
  })
  const refusal =
    whyNot('attach', volume) ?? (instance ? whyNotOn(instance, volume) : 'Choose an instance first')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (instance && refusal === null && !offline && !attach.isPending) attach.mutate(instance)
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!attach.isPending}
      title={`Attach ${name}`}
      description={`To one of your instances in ${region}. An instance has one volume at a time, and a volume one instance.`}
      width="l"
      footer={
        <>
          {chosen && (
            <div className="mr-auto">
              <CopyCall call="volumes.attach" values={{ id, instance_id: chosen }} />
            </div>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={form}
            variant="primary"
            busy={attach.isPending}
            busyLabel="Attaching..."
            disabledReason={refusal ?? offline}
          >
            Attach
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className="flex flex-col gap-4">
        <QueryView
          query={list}
          failed="Your instances could not be loaded"
          skeleton={<SkeletonRows rows={3} columns={3} />}
        >
          {() =>
            rows.length === 0 ? (
              <EmptyState
                title={`None of your instances in ${region} is stopped or running.`}
                action={
                  <Link to="/console/instances" search={{ deploy: '1' }} className={buttonClass()}>
                    Deploy instance
                  </Link>
                }
              >
                Deploy one in {region}, then attach the volume to it.
              </EmptyState>
            ) : (
              <div className="flex max-h-list flex-col gap-3 overflow-y-auto">
                <ChoiceTable
                  label="Instance"
                  columns={columnsFor(volume)}
                  rows={rows}
                  rowKey={row => row.id}
                  value={chosen}
                  onValueChange={key => {
                    setChosen(key)
                    attach.reset()
                  }}
                  isOff={row => whyNotOn(row, volume) !== null}
                />
                <LoadMore list={list} />
              </div>
            )
          }
        </QueryView>
        <div className="flex flex-col gap-1 text-muted">
          <p>
            It is mounted at <code className="font-mono text-code text-ink">{mount_path}</code> and linked as{' '}
            <code className="font-mono text-code text-ink">
              {mount_path.replace('/volumes/', '/workspace/')}
            </code>
            , hiding nothing that is there.
          </p>
          {volume.when_unpaid === 'stops' && (
            <p>
              If a month of the volume can’t be paid, it becomes read-only. Here that can’t be done while an
              instance runs with it, so that instance is stopped then, also within a term.
            </p>
          )}
        </div>
        {attach.error && <FailedBand failed="Failed to attach volume" error={attach.error} />}
      </form>
    </Dialog>
  )
}

const columnsFor = (volume: Volume): readonly Column<Instance>[] => [
  {
    id: 'name',
    header: 'Name',
    className: 'min-w-0 truncate max-w-aside',
    cell: ({ name }) => name,
  },
  {
    id: 'status',
    header: 'Status',
    phone: 'aside',
    cell: ({ status }) => (
      <StatusMark kind={status === 'running' ? 'running' : 'stopped'}>
        {status === 'running' ? 'Running' : 'Stopped'}
      </StatusMark>
    ),
  },
  {
    id: 'when',
    header: 'Mounted',
    cell: row =>
      whyNotOn(row, volume) ?? (
        <span className="text-muted">{row.status === 'running' ? 'At once' : 'At its next start'}</span>
      ),
  },
]

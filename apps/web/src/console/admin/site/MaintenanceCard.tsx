import { IngotError } from '@ingot/contracts/errors'
import { type Maintenance, maintenanceLimits } from '@ingot/contracts/site/announcements'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Card, Lines } from '../../../ui/Card.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Input } from '../../../ui/Input.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { StatusMark } from '../../../ui/StatusMark.tsx'
import { Textarea } from '../../../ui/Textarea.tsx'
import { Time } from '../../../ui/Time.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { QueryView } from '../../shell/QueryView.tsx'
import { ReasonDialog } from '../ReasonDialog.tsx'
import { isoOf, localText } from './announcement-words.ts'
import { maintenanceQuery } from './queries.ts'

type Open = 'begin' | 'end' | null

/** The switch, and what it says now. */
export function MaintenanceCard() {
  const query = useQuery(maintenanceQuery)
  const [open, setOpen] = useState<Open>(null)
  const close = () => setOpen(null)
  return (
    <Card
      title="Maintenance"
      className=""
      aside={
        query.data &&
        (query.data.is_on ? (
          <span className="flex flex-wrap gap-2">
            <Button onClick={() => setOpen('begin')}>Change</Button>
            <Button variant="primary" onClick={() => setOpen('end')}>
              End maintenance
            </Button>
          </span>
        ) : (
          <Button onClick={() => setOpen('begin')}>Begin maintenance</Button>
        ))
      }
    >
      <QueryView
        query={query}
        failed="Whether there is maintenance could not be loaded"
        skeleton={<SkeletonRows rows={2} columns={2} />}
      >
        {maintenance => (
          <>
            <Now maintenance={maintenance} />
            {open === 'begin' && <BeginDialog maintenance={maintenance} onClose={close} />}
            {open === 'end' && <EndDialog onClose={close} />}
          </>
        )}
      </QueryView>
    </Card>
  )
}

function Now({
  maintenance: { is_on, text, reason, changed_at, planned_end },
}: {
  readonly maintenance: Maintenance
}) {
  if (!is_on)
    return (
      <p className="max-w-prose text-muted">
        Off. While it is on, what customers change is refused with your words; they can still stop and delete
        what costs money. Machines, charges, deposits, sign-in and the calls of staff go on.
      </p>
    )
  return (
    <div className="flex flex-col gap-3">
      <StatusMark kind="attention">On</StatusMark>
      <Lines
        lines={[
          ['Customers read', text],
          ['Reason', reason],
          ['Since', changed_at && <Time key="since" at={changed_at} exact />],
          ['Planned end', planned_end ? <Time key="end" at={planned_end} exact /> : 'None'],
        ]}
      />
    </div>
  )
}

interface DialogProps {
  readonly onClose: () => void
}

function useSetMaintenance(done: string, onClose: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (wish: Parameters<typeof api.site.setMaintenance>[0]) => api.site.setMaintenance(wish),
    onSuccess: saved => {
      client.setQueryData(maintenanceQuery.queryKey, saved)
      toast.success(done)
      onClose()
    },
  })
}

function EndDialog({ onClose }: DialogProps) {
  const end = useSetMaintenance('Maintenance has ended', onClose)
  return (
    <ReasonDialog
      open
      onOpenChange={onClose}
      title="End maintenance"
      confirmLabel="End maintenance"
      busyLabel="Ending..."
      busy={end.isPending}
      error={end.error && errorText(end.error)}
      onConfirm={reason => end.mutate({ is_on: false, reason })}
    >
      Customers can change things again within a second.
    </ReasonDialog>
  )
}

function BeginDialog({ maintenance, onClose }: DialogProps & { readonly maintenance: Maintenance }) {
  const form = useId()
  const offline = useOfflineReason()
  const { is_on } = maintenance
  const [text, setText] = useState(
    is_on ? maintenance.text : 'We are working on the service. Changes wait until it is done.',
  )
  const [reason, setReason] = useState('')
  const [end, setEnd] = useState(is_on ? localText(maintenance.planned_end) : '')
  const [asked, setAsked] = useState(false)
  const save = useSetMaintenance(is_on ? 'Maintenance changed' : 'Maintenance has begun', onClose)
  const fields = save.error instanceof IngotError ? (save.error.fields ?? {}) : {}
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setAsked(true)
    if (!text.trim() || !reason.trim()) return
    save.mutate({ is_on: true, text: text.trim(), reason: reason.trim(), planned_end: isoOf(end) ?? null })
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      dismissible={!save.isPending}
      title={is_on ? 'Change maintenance' : 'Begin maintenance'}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form={form}
            variant="primary"
            busy={save.isPending}
            busyLabel="Saving..."
            disabledReason={offline}
          >
            {is_on ? 'Save' : 'Begin maintenance'}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <p className="text-muted">
          What customers change is refused with these words, in all servers within a second. They can still
          stop and delete what costs money.
        </p>
        <Field
          label="What customers read"
          hint="One line of plain text: in a band, and with each refusal."
          error={
            asked && !text.trim()
              ? 'Write what customers are told'
              : fields['text'] && `The text ${fields['text']}`
          }
          required
        >
          <Input
            value={text}
            maxLength={maintenanceLimits.text}
            onChange={event => setText(event.target.value)}
          />
        </Field>
        <Field
          label="Planned end"
          hint="In your time zone. Clients are told to try again then."
          error={fields['planned_end'] && `The planned end ${fields['planned_end']}`}
          optional
        >
          <Input type="datetime-local" value={end} onChange={event => setEnd(event.target.value)} />
        </Field>
        <Field
          label="Reason"
          hint="For the audit log."
          error={asked && !reason.trim() ? 'Write why' : fields['reason'] && `The reason ${fields['reason']}`}
          required
        >
          <Textarea
            value={reason}
            maxLength={maintenanceLimits.reason}
            onChange={event => setReason(event.target.value)}
          />
        </Field>
        {save.error && Object.keys(fields).length === 0 && <Band tone="danger">{errorText(save.error)}</Band>}
      </form>
    </Dialog>
  )
}

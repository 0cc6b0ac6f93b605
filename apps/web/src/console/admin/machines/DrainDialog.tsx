import { type HostDetails, maxMachineReason } from '@ingot/contracts/admin/machines'
import { type FormEvent, useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/Field.tsx'
import { Input } from '../../../ui/Input.tsx'
import { Textarea } from '../../../ui/Textarea.tsx'
import { toast } from '../../../ui/toast.ts'
import { useNow } from '../../../ui/use-now.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { useOfflineReason } from '../../shell/online.ts'
import { Concerned } from './Concerned.tsx'
import { fieldText, proposedTime, readDrainTime } from './drain-time.ts'
import { useHostAct } from './queries.ts'

interface DrainDialogProps {
  readonly host: HostDetails
  readonly onClose: () => void
}

export function DrainDialog({ host, onClose }: DrainDialogProps) {
  const now = useNow(10_000)
  const offline = useOfflineReason()
  const [reason, setReason] = useState(host.maintenance?.state === 'draining' ? host.maintenance.reason : '')
  const [when, setWhen] = useState(() =>
    fieldText(host.maintenance?.drain_at ? new Date(host.maintenance.drain_at) : proposedTime(new Date())),
  )
  const [isConfirmed, confirm] = useState(false)
  const { at, error, isShort } = readDrainTime(when, now)
  const run = useHostAct(api.machines.drain, () => {
    toast.success(`${host.name} will be drained`)
    onClose()
  })
  const missing = !reason.trim()
    ? 'Say why first'
    : error
      ? error
      : isShort && !isConfirmed
        ? 'Confirm the short notice first'
        : offline
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (missing || !at || run.isPending) return
    run.mutate({ id: host.id, reason: reason.trim(), at: at.toISOString(), short_notice: isShort })
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Drain ${host.name}`}
      role="alertdialog"
      dismissible={!run.isPending}
    >
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        <div className="text-muted">
          <p>
            From now on nothing new is placed there. At the time below all that runs on it stops, charged up
            to that moment, and nothing starts there until you open it again.
          </p>
          <Concerned host={host} />
          <p className="pt-2">
            They are told now, by mail and on their dashboard. Disks and volumes stay on this host with their
            data, and cannot be used elsewhere meanwhile; months of volumes run on. Upfront terms end later by
            as long as the host is closed.
          </p>
        </div>
        <Field label="Reason" hint="Those concerned read it in their mail. It stands in the audit log.">
          <Textarea
            value={reason}
            className="min-h-24"
            maxLength={maxMachineReason}
            onChange={event => setReason(event.target.value)}
          />
        </Field>
        <Field
          label="When it begins (UTC)"
          error={error}
          hint={at && !error ? `Your time: ${localText(at)}` : undefined}
        >
          <Input type="datetime-local" value={when} onChange={event => setWhen(event.target.value)} />
        </Field>
        {isShort && at && (
          <Checkbox
            label={
              at.getTime() <= now.getTime()
                ? 'It begins at once: nobody can save their work'
                : 'It begins within the hour: some may not read it in time'
            }
            checked={isConfirmed}
            onCheckedChange={confirm}
          />
        )}
        {run.error && <Band tone="danger">{errorText(run.error)}</Band>}
        <div className="flex flex-wrap justify-end gap-2 pt-2">
          <Button onClick={onClose} disabledReason={run.isPending ? 'Wait until it is done' : null}>
            Cancel
          </Button>
          <Button
            type="submit"
            variant="danger-fill"
            busy={run.isPending}
            busyLabel="Telling them..."
            disabledReason={missing}
          >
            Drain host
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const localText = (at: Date): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' }).format(at)

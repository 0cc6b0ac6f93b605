import { type ReactNode, type SyntheticEvent, useId, useState } from 'react'
import { Band } from '../../ui/Band.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { Textarea } from '../../ui/Textarea.tsx'

interface ReasonDialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  /** The act: `Stop instance`. */
  readonly title: string
  /** Whom it concerns and what follows, with the money. */
  readonly children: ReactNode
  /** The same verb again. */
  readonly confirmLabel: string
  readonly busyLabel?: string
  readonly danger?: boolean
  /** Whether it can be done without saying why. */
  readonly optional?: boolean
  readonly busy?: boolean
  /** Why it can't be done at all, whatever the reason. */
  readonly refusal?: string | null
  /** Why the last try failed. The dialog stays open, with what was typed. */
  readonly error?: ReactNode
  readonly onConfirm: (reason: string) => void
}

/** For every act of staff: the reason stands in the audit log, and the customer whom it concerns reads it. */
export function ReasonDialog({ open, onOpenChange, title, ...rest }: ReasonDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      width="s"
      role={rest.danger ? 'alertdialog' : undefined}
      dismissible={!rest.busy}
    >
      <ReasonForm {...rest} onCancel={() => onOpenChange(false)} />
    </Dialog>
  )
}

type ReasonFormProps = Omit<ReasonDialogProps, 'open' | 'onOpenChange' | 'title'> & {
  readonly onCancel: () => void
}

function ReasonForm({
  children,
  confirmLabel,
  busyLabel,
  danger = false,
  optional = false,
  busy = false,
  refusal = null,
  error,
  onConfirm,
  onCancel,
}: ReasonFormProps) {
  const [reason, setReason] = useState('')
  const form = useId()
  const missing = !optional && !reason.trim()
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (!missing && !busy && !refusal) onConfirm(reason.trim())
  }
  return (
    <form id={form} onSubmit={submit} className="flex flex-col gap-4">
      <div className="text-muted">{children}</div>
      <Field
        label="Reason"
        optional={optional}
        hint="It stands in the audit log. The customer it concerns can read it."
      >
        <Textarea
          value={reason}
          onChange={event => setReason(event.target.value)}
          // A plain Enter breaks the line.
          onKeyDown={event => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event)
          }}
          maxLength={250}
          rows={3}
        />
      </Field>
      {error && <Band tone="danger">{error}</Band>}
      <div className="flex flex-wrap justify-end gap-2 pt-2">
        <Button onClick={onCancel} disabledReason={busy ? 'Wait until it is done' : null}>
          Cancel
        </Button>
        <Button
          type="submit"
          variant={danger ? 'danger-fill' : 'primary'}
          busy={busy}
          busyLabel={busyLabel}
          disabledReason={refusal ?? (missing ? 'Say why first' : null)}
        >
          {confirmLabel}
        </Button>
      </div>
    </form>
  )
}

import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { Band } from './Band.tsx'
import { Button } from './Button.tsx'
import { Dialog } from './Dialog.tsx'
import { Field } from './Field.tsx'
import { Input } from './Input.tsx'

interface ConfirmDialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  /** The act: `Delete volume`. */
  readonly title: string
  /** The object, what is lost, and the money. */
  readonly children: ReactNode
  /** The same verb again: `Delete volume`. */
  readonly confirmLabel: string
  readonly busyLabel?: string
  readonly cancelLabel?: string
  readonly danger?: boolean
  /** What must be typed before the button works: the name of what is lost. */
  readonly typed?: string
  readonly typedReason?: string
  readonly busy?: boolean
  /** Why the last try failed. The dialog stays open. */
  readonly error?: ReactNode
  /** The same act as a command: a button that copies it. */
  readonly command?: ReactNode
  readonly onConfirm: () => void
}

/** For what cannot be undone, and for nothing else. */
export function ConfirmDialog({ open, onOpenChange, title, children, ...rest }: ConfirmDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      width="s"
      role="alertdialog"
      dismissible={!rest.busy}
    >
      <ConfirmForm {...rest} onCancel={() => onOpenChange(false)}>
        {children}
      </ConfirmForm>
    </Dialog>
  )
}

type ConfirmFormProps = Omit<ConfirmDialogProps, 'open' | 'onOpenChange' | 'title'> & {
  readonly onCancel: () => void
}

/** Its own component: what was typed is forgotten when the dialog closes. */
function ConfirmForm({
  children,
  confirmLabel,
  busyLabel,
  cancelLabel = 'Cancel',
  danger = true,
  typed,
  typedReason,
  busy = false,
  error,
  command,
  onConfirm,
  onCancel,
}: ConfirmFormProps) {
  const [text, setText] = useState('')
  const form = useId()
  const missing = typed !== undefined && text !== typed
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!missing && !busy) onConfirm()
  }
  return (
    <form id={form} onSubmit={submit} className="flex flex-col gap-4">
      <div className="text-muted">{children}</div>
      {typed !== undefined && (
        <Field label={<>Type {typed} to confirm</>}>
          <Input
            value={text}
            onChange={event => setText(event.target.value)}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        </Field>
      )}
      {error && <Band tone="danger">{error}</Band>}
      <div className="flex flex-wrap justify-end gap-2 pt-2">
        {command && <div className="mr-auto">{command}</div>}
        <Button onClick={onCancel} disabledReason={busy ? 'Wait until it is done' : null}>
          {cancelLabel}
        </Button>
        <Button
          type="submit"
          variant={danger ? 'danger-fill' : 'primary'}
          busy={busy}
          busyLabel={busyLabel}
          disabledReason={missing ? (typedReason ?? `Type ${typed} first`) : null}
        >
          {confirmLabel}
        </Button>
      </div>
    </form>
  )
}

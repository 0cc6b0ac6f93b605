import { type ReactNode, useId } from 'react'
import { FieldContext } from './field-context.ts'

interface FieldProps {
  readonly label: ReactNode
  /** What to enter, before anything is wrong. */
  readonly hint?: ReactNode
  /** What is wrong, and how to put it right. */
  readonly error?: ReactNode
  readonly required?: boolean
  /** Says so beside the label. */
  readonly optional?: boolean
  /** At the right of the label: a link, a counter. */
  readonly aside?: ReactNode
  /** One control of ours: it finds its id, hint and error by itself. */
  readonly children: ReactNode
}

export function Field({
  label,
  hint,
  error,
  required = false,
  optional = false,
  aside,
  children,
}: FieldProps) {
  const id = useId()
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined
  const wiring = {
    id,
    'aria-describedby': described,
    'aria-invalid': error ? (true as const) : undefined,
    required,
  }
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-baseline justify-between gap-2">
        <label htmlFor={id} className="font-medium">
          {label}
          {optional && <span className="font-normal text-muted"> (optional)</span>}
        </label>
        {aside && <span className="text-label text-muted">{aside}</span>}
      </div>
      <FieldContext value={wiring}>{children}</FieldContext>
      {hint && (
        <p id={`${id}-hint`} className="text-label font-normal text-muted">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="text-label text-danger">
          {error}
        </p>
      )}
    </div>
  )
}

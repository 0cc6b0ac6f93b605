import type { ReactNode } from 'react'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'
import { takeFocus } from './take-focus.ts'

interface CodeFieldProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly error?: ReactNode
  readonly value: string
  readonly onChange: (value: string) => void
  /** Letters too, as in recovery codes. */
  readonly isText?: boolean
  readonly name?: string
  /** When it comes into view as the next thing to do. */
  readonly takesFocus?: boolean
}

/** A code that works once: phones offer it from the message, password managers from their authenticator. */
export function CodeField({
  label,
  hint,
  error,
  value,
  onChange,
  isText = false,
  name,
  takesFocus,
}: CodeFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} required>
      <Input
        ref={takesFocus ? takeFocus : undefined}
        name={name}
        value={value}
        onChange={event => onChange(event.target.value)}
        inputMode={isText ? 'text' : 'numeric'}
        autoComplete={isText ? 'off' : 'one-time-code'}
        autoCapitalize="none"
        spellCheck={false}
        maxLength={64}
        className="font-mono"
      />
    </Field>
  )
}

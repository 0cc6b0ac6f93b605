import { maxEmailLength } from '@ingot/contracts/accounts'
import type { ComponentProps, ReactNode } from 'react'
import { Field } from '../../ui/Field.tsx'
import { Input } from '../../ui/Input.tsx'

interface EmailFieldProps extends ComponentProps<'input'> {
  readonly label?: string
  readonly hint?: ReactNode
  readonly error?: ReactNode
}

/** The address of an account, as password managers know it. */
export function EmailField({ label = 'Email', hint, error, required, ...rest }: EmailFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} required={required}>
      <Input
        type="email"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={maxEmailLength}
        {...rest}
      />
    </Field>
  )
}

import type { ComponentProps, ReactNode } from 'react'
import { cx } from './cx.ts'
import { useFieldWiring } from './field-context.ts'

export const inputClass =
  'w-full rounded-control border border-line-strong bg-raised px-3 text-input text-ink aria-invalid:border-danger disabled:border-line disabled:bg-sunken disabled:text-muted read-only:not-disabled:bg-sunken'

export interface InputProps extends ComponentProps<'input'> {
  /** Inside, at the right edge: a unit, a key, a button. */
  readonly end?: ReactNode
}

export function Input({ end, className, ...rest }: InputProps) {
  const input = (
    <input
      {...useFieldWiring()}
      {...rest}
      className={cx(inputClass, 'h-control', Boolean(end) && 'pr-12', className)}
    />
  )
  if (!end) return input
  return (
    <span className="relative block">
      {input}
      <span className="pointer-events-none absolute inset-y-0 right-2 flex items-center text-muted *:pointer-events-auto">
        {end}
      </span>
    </span>
  )
}

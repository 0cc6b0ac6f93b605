import type { ComponentProps } from 'react'
import { cx } from './cx.ts'
import { useFieldWiring } from './field-context.ts'
import { inputClass } from './Input.tsx'

/** Grows with its text from `rows` up to about eight lines, then scrolls. */
export function Textarea({ className, rows = 3, ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea
      {...useFieldWiring()}
      {...rest}
      rows={rows}
      className={cx(inputClass, 'field-sizing-content max-h-textarea py-2', className)}
    />
  )
}

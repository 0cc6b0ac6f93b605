import { Check, Minus } from 'lucide-react'
import { Checkbox as Radix } from 'radix-ui'
import { type MouseEvent, type ReactNode, useId } from 'react'

interface CheckboxProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly checked: boolean | 'indeterminate'
  readonly onCheckedChange: (checked: boolean) => void
  readonly name?: string
  readonly disabled?: boolean
  /** The label is read out but not shown, as in a table's first column. */
  readonly labelHidden?: boolean
  /** Before the change; `preventDefault` keeps it from happening. */
  readonly onClick?: (event: MouseEvent) => void
}

export function Checkbox({ label, hint, onCheckedChange, labelHidden = false, ...rest }: CheckboxProps) {
  const id = useId()
  return (
    <span className="flex items-start gap-2">
      <span className="flex h-5 items-center">
        <Radix.Root
          {...rest}
          id={id}
          aria-describedby={hint ? `${id}-hint` : undefined}
          onCheckedChange={checked => onCheckedChange(checked === true)}
          className="relative flex size-4 items-center justify-center rounded-tag border border-line-strong bg-raised before:absolute before:-inset-1 data-[state=checked]:border-accent data-[state=checked]:bg-accent data-[state=indeterminate]:border-accent data-[state=indeterminate]:bg-accent disabled:cursor-not-allowed disabled:opacity-60 pointer-coarse:before:-inset-3"
        >
          <Radix.Indicator className="text-page">
            {rest.checked === 'indeterminate' ? (
              <Minus size={12} strokeWidth={3} aria-hidden />
            ) : (
              <Check size={12} strokeWidth={3} aria-hidden />
            )}
          </Radix.Indicator>
        </Radix.Root>
      </span>
      <span>
        <label htmlFor={id} className={labelHidden ? 'sr-only' : undefined}>
          {label}
        </label>
        {hint && (
          <span id={`${id}-hint`} className="block text-label font-normal text-muted">
            {hint}
          </span>
        )}
      </span>
    </span>
  )
}

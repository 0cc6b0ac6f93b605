import { Switch as Radix } from 'radix-ui'
import { type ReactNode, useId } from 'react'

interface SwitchProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly checked: boolean
  readonly onCheckedChange: (checked: boolean) => void
  readonly name?: string
  readonly disabled?: boolean
}

/** A setting that takes effect at once. A setting that a button saves is a Checkbox. */
export function Switch({ label, hint, ...rest }: SwitchProps) {
  const id = useId()
  return (
    <span className="flex items-start justify-between gap-4">
      <span>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hint && (
          <span id={`${id}-hint`} className="block text-label font-normal text-muted">
            {hint}
          </span>
        )}
      </span>
      <Radix.Root
        {...rest}
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        className="relative h-5 w-8 shrink-0 rounded-full border border-line-strong bg-raised transition-colors before:absolute before:-inset-1 data-[state=checked]:border-accent data-[state=checked]:bg-accent disabled:cursor-not-allowed disabled:opacity-60 pointer-coarse:before:-inset-3"
      >
        <Radix.Thumb className="block size-3 translate-x-1 rounded-full bg-line-strong transition-transform data-[state=checked]:translate-x-4 data-[state=checked]:bg-page forced-colors:bg-[ButtonText]!" />
      </Radix.Root>
    </span>
  )
}

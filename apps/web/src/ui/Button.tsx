import { type ComponentProps, type MouseEvent, type ReactNode, useId, useState } from 'react'
import { type ButtonSize, type ButtonVariant, buttonClass } from './button-class.ts'
import { cx } from './cx.ts'
import { StatusShape } from './StatusShape.tsx'
import { Tooltip } from './Tooltip.tsx'

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled'> {
  readonly variant?: ButtonVariant
  readonly size?: ButtonSize
  /** Keeps its width, takes no second press. */
  readonly busy?: boolean
  /** Stands in for the words while busy, such as `Signing in...`. */
  readonly busyLabel?: string
  /** Why it cannot be pressed now. It still takes focus, so everyone can read the reason. */
  readonly disabledReason?: string | null
  readonly icon?: ReactNode
  /** The key that does the same. */
  readonly shortcut?: string
}

export function Button({
  variant = 'secondary',
  size = 'm',
  busy = false,
  busyLabel,
  disabledReason,
  icon,
  shortcut,
  className,
  children,
  onClick,
  ...rest
}: ButtonProps) {
  const reasonId = useId()
  const [isReasonShown, setReasonShown] = useState(false)
  const off = Boolean(disabledReason)
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    // aria-disabled, unlike disabled, does not stop the click or the form it would send.
    if (off || busy) event.preventDefault()
    else onClick?.(event)
  }
  const button = (
    <button
      type="button"
      {...rest}
      onClick={press}
      aria-disabled={off || busy || undefined}
      aria-busy={busy || undefined}
      // The open tooltip describes the button itself; twice the same would be read twice.
      aria-describedby={off && !isReasonShown ? reasonId : rest['aria-describedby']}
      data-off={off || undefined}
      className={cx(buttonClass(variant, size), className)}
    >
      {icon}
      {busyLabel === undefined && !busy ? (
        children
      ) : (
        <Label busy={busy} busyLabel={busyLabel} label={children} />
      )}
      {shortcut && (
        <kbd
          aria-hidden
          className="rounded-tag border border-current px-1 font-sans text-label pointer-coarse:hidden"
        >
          {shortcut}
        </kbd>
      )}
    </button>
  )
  if (!off) return button
  return (
    <>
      <Tooltip text={disabledReason} onOpenChange={setReasonShown}>
        {button}
      </Tooltip>
      <span id={reasonId} hidden>
        {disabledReason}
      </span>
    </>
  )
}

interface LabelProps {
  readonly busy: boolean
  readonly busyLabel: string | undefined
  readonly label: ReactNode
}

/** Both texts lie on one another, so the button is as wide as the longer one and never moves what is beside it. */
function Label({ busy, busyLabel, label }: LabelProps) {
  return (
    <span className="inline-grid items-center justify-items-center *:[grid-area:1/1]">
      <span className={cx(busy && (busyLabel ? 'invisible' : 'opacity-0'))}>{label}</span>
      {busyLabel ? (
        <span className={cx(!busy && 'invisible')}>{busyLabel}</span>
      ) : (
        <StatusShape kind="changing" />
      )}
    </span>
  )
}

import type { ReactNode } from 'react'
import { Button, type ButtonProps } from './Button.tsx'
import { cx } from './cx.ts'
import { Tooltip } from './Tooltip.tsx'

interface IconButtonProps extends Omit<
  ButtonProps,
  'children' | 'icon' | 'busyLabel' | 'size' | 'aria-label'
> {
  /** Its name: read out, and shown as the tooltip. */
  readonly label: string
  /** False where everybody knows the sign: the cross of a dialog. */
  readonly tooltip?: boolean
  readonly children: ReactNode
}

export function IconButton({
  label,
  tooltip = true,
  children,
  variant = 'ghost',
  className,
  ...rest
}: IconButtonProps) {
  const button = (
    <Button {...rest} variant={variant} aria-label={label} className={cx('w-control px-0!', className)}>
      {children}
    </Button>
  )
  // A disabled one shows its reason instead, from Button.
  return rest.disabledReason || !tooltip ? button : <Tooltip text={label}>{button}</Tooltip>
}

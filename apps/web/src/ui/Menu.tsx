import { DropdownMenu as Radix } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'
import { cx } from './cx.ts'
import { Kbd } from './Kbd.tsx'

interface MenuProps {
  /** A Button or IconButton. */
  readonly trigger: ReactElement
  readonly align?: 'start' | 'end'
  /** MenuItem, MenuLabel, MenuSeparator. */
  readonly children: ReactNode
}

export function Menu({ trigger, align = 'end', children }: MenuProps) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-menu max-h-(--radix-dropdown-menu-content-available-height) min-w-menu animate-menu-in overflow-y-auto rounded-panel border border-line bg-raised p-1 text-ink shadow-float data-[state=closed]:animate-menu-out"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

interface MenuItemProps {
  readonly onSelect?: () => void
  readonly icon?: ReactNode
  readonly shortcut?: string
  readonly danger?: boolean
  /** Written under the item, which then does nothing. */
  readonly disabledReason?: string | null
  /** The child is the item itself: a link. */
  readonly asChild?: boolean
  readonly children: ReactNode
}

const itemClass =
  'flex min-h-control cursor-default items-center gap-2 rounded-tag px-2 py-1 text-body outline-none select-none data-highlighted:bg-hover'

export function MenuItem({
  onSelect,
  icon,
  shortcut,
  danger = false,
  disabledReason,
  asChild = false,
  children,
}: MenuItemProps) {
  const className = cx(itemClass, danger && !disabledReason && 'text-danger', disabledReason && 'text-muted')
  if (asChild) {
    return (
      <Radix.Item asChild onSelect={onSelect} className={className}>
        {children}
      </Radix.Item>
    )
  }
  return (
    <Radix.Item
      // Not Radix's own disabled, which would hide the reason from the keyboard.
      aria-disabled={disabledReason ? true : undefined}
      onSelect={event => (disabledReason ? event.preventDefault() : onSelect?.())}
      className={className}
    >
      {icon}
      <span className="grow">
        {children}
        {disabledReason && <span className="block max-w-menu text-label font-normal">{disabledReason}</span>}
      </span>
      {shortcut && <Kbd>{shortcut}</Kbd>}
    </Radix.Item>
  )
}

export function MenuLabel({ children }: { readonly children: ReactNode }) {
  return <Radix.Label className="px-2 py-1 text-label text-muted">{children}</Radix.Label>
}

export function MenuSeparator() {
  return <Radix.Separator className="my-1 h-px bg-line" />
}

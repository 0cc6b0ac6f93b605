import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import { IconButton } from './IconButton.tsx'
import { useReturnFocus } from './use-return-focus.ts'

interface DrawerProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: string
  /** The title is read out but not shown. */
  readonly titleHidden?: boolean
  readonly side?: 'left' | 'right'
  readonly children: ReactNode
}

/** A panel from the edge: the navigation of small screens at the left, details at the right. */
export function Drawer({
  open,
  onOpenChange,
  title,
  titleHidden = false,
  side = 'right',
  children,
}: DrawerProps) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-drawer animate-scrim-in bg-scrim" />
        <Radix.Content
          {...useReturnFocus()}
          aria-describedby={undefined}
          className={cx(
            'fixed inset-y-0 z-drawer flex w-full max-w-aside flex-col overflow-y-auto border-line bg-raised text-ink shadow-float data-[state=closed]:animate-dialog-out data-[state=open]:animate-dialog-in',
            side === 'left' ? 'left-0 border-r' : 'right-0 border-l',
          )}
        >
          <div className="flex h-bar shrink-0 items-center justify-between gap-4 px-4">
            <Radix.Title className={titleHidden ? 'sr-only' : 'text-heading'}>{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton label="Close" tooltip={false} className="ml-auto">
                <X size={16} aria-hidden />
              </IconButton>
            </Radix.Close>
          </div>
          <div className="grow px-4 pb-4">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

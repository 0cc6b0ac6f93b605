import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import { IconButton } from './IconButton.tsx'
import { useReturnFocus } from './use-return-focus.ts'

export interface DialogProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly title: ReactNode
  readonly description?: ReactNode
  readonly width?: 's' | 'm' | 'l'
  /** Buttons, the one that acts last. */
  readonly footer?: ReactNode
  /** `alertdialog` for a question that must be answered. */
  readonly role?: 'dialog' | 'alertdialog'
  /** While false, only its own buttons close it. */
  readonly dismissible?: boolean
  readonly children?: ReactNode
}

const widths = { s: 'max-w-dialog-s', m: 'max-w-dialog-m', l: 'max-w-dialog-l' }

export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  width = 'm',
  footer,
  role = 'dialog',
  dismissible = true,
  children,
}: DialogProps) {
  const keepOpen = (event: Event) => {
    const isToast = event.target instanceof Element && event.target.closest('[data-sonner-toaster]')
    if (!dismissible || isToast) event.preventDefault()
  }
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-dialog grid grid-cols-1 animate-scrim-in place-items-center overflow-y-auto bg-scrim p-4">
          <Radix.Content
            {...useReturnFocus()}
            role={role}
            onEscapeKeyDown={keepOpen}
            onInteractOutside={keepOpen}
            {...(description ? {} : { 'aria-describedby': undefined })}
            className={cx(
              'relative w-full rounded-panel border border-float-line bg-raised p-6 text-ink shadow-float data-[state=closed]:animate-dialog-out data-[state=open]:animate-dialog-in max-sm:p-4',
              widths[width],
            )}
          >
            <Radix.Title className={cx('text-heading', dismissible && 'pr-8')}>{title}</Radix.Title>
            {description && <Radix.Description className="pt-1 text-muted">{description}</Radix.Description>}
            {children && <div className="pt-4">{children}</div>}
            {footer && <div className="flex flex-wrap justify-end gap-2 pt-6">{footer}</div>}
            {/* Last, so that the first thing to be filled in or pressed takes the focus. */}
            {dismissible && (
              <Radix.Close asChild>
                <IconButton
                  label="Close"
                  tooltip={false}
                  className="absolute top-4 right-4 max-sm:top-2 max-sm:right-2"
                >
                  <X size={16} aria-hidden />
                </IconButton>
              </Radix.Close>
            )}
          </Radix.Content>
        </Radix.Overlay>
      </Radix.Portal>
    </Radix.Root>
  )
}

import { X } from 'lucide-react'
import { Toast as Radix } from 'radix-ui'
import { useState, useSyncExternalStore } from 'react'
import { dismissAppToast, onToastChange, type ShownToast, shownToast } from './app-toast.ts'
import { cx } from './cx.ts'
import { StatusShape } from './StatusShape.tsx'

/**
 * Where `appToast` shows: 5000 ms, paused under pointer or focus, swiped away to the right from 50 px, F8 goes to it. An
 * open dialog takes every pointer except those on a toast.
 */
export function AppToasts() {
  const toast = useSyncExternalStore(onToastChange, shownToast)
  return (
    <Radix.Provider duration={5000} swipeDirection="right" swipeThreshold={50} label="Notification">
      {toast && <One key={toast.id} toast={toast} />}
      <Radix.Viewport
        hotkey={['F8']}
        // A dialog hides everything outside it from readers, except what is marked as live. Announcing is done elsewhere.
        aria-live="off"
        className="fixed top-16 right-0 z-toast flex w-full max-w-toast flex-col p-4 outline-none"
      />
    </Radix.Provider>
  )
}

const exitMs = 100

function One({ toast: { id, title, description, variant } }: { readonly toast: ShownToast }) {
  const [open, setOpen] = useState(true)
  const close = () => {
    setOpen(false)
    setTimeout(() => dismissAppToast(id), exitMs)
  }
  const destructive = variant === 'destructive'
  return (
    <Radix.Root
      open={open}
      onOpenChange={next => !next && close()}
      className={cx(
        'pointer-events-auto flex items-start gap-2 rounded-panel border bg-raised p-3 text-ink shadow-float data-[state=closed]:animate-dialog-out data-[state=open]:animate-menu-in data-[swipe=cancel]:translate-x-0 data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x)',
        destructive ? 'border-danger-line' : 'border-line',
      )}
    >
      <span className={cx('flex h-5 items-center', destructive ? 'text-danger' : 'text-info')}>
        <StatusShape kind={destructive ? 'failed' : 'running'} />
      </span>
      <div className="grow">
        <Radix.Title className={cx('font-semi', destructive && 'text-danger')}>{title}</Radix.Title>
        {description && <Radix.Description className="text-muted">{description}</Radix.Description>}
      </div>
      <Radix.Close
        aria-label="Close"
        className="-m-1 flex size-6 items-center justify-center rounded-tag text-muted hover:text-ink pointer-coarse:size-touch"
      >
        <X size={16} aria-hidden />
      </Radix.Close>
    </Radix.Root>
  )
}

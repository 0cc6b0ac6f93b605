import type { PointerEvent } from 'react'
import { Toaster } from 'sonner'
import { StatusShape } from './StatusShape.tsx'

const swipePx = 20
/** The distance at which the library itself lets go. */
const libraryPx = 45

/**
 * Where a `toast` shows: 4000 ms, at most three, 14 px apart, 356 px wide, swiped away from 20 px or faster than 0.11
 * px/ms. The library's own distance is a constant, so a swipe that is long enough for us is reported as that distance.
 */
export function Toasts() {
  return (
    <div onPointerUpCapture={lengthen}>
      <Toaster
        duration={4000}
        visibleToasts={3}
        gap={14}
        position="bottom-right"
        closeButton
        offset={16}
        className="font-sans!"
        icons={{
          success: <StatusShape kind="running" />,
          info: <StatusShape kind="stopped" />,
          warning: <StatusShape kind="attention" />,
          error: <StatusShape kind="failed" />,
          loading: <StatusShape kind="changing" />,
        }}
        toastOptions={{
          unstyled: true,
          classNames: {
            toast:
              'pointer-events-auto flex w-(--width) select-none max-w-full items-center gap-2 rounded-panel border border-line bg-raised py-3 pr-8 pl-3 text-body text-ink shadow-float',
            title: 'font-medium',
            icon: 'flex shrink-0',
            content: 'grow',
            loader: 'static! transform-none!',
            closeButton:
              'absolute top-2 right-2 flex size-6 items-center justify-center rounded-tag text-muted hover:text-ink pointer-coarse:size-touch',
            actionButton: 'link shrink-0',
            success: '[&_[data-icon]]:text-ok',
            info: '[&_[data-icon]]:text-info',
            warning: '[&_[data-icon]]:text-warn',
            error: '[&_[data-icon]]:text-danger',
            loading: '[&_[data-icon]]:text-info',
          },
        }}
      />
    </div>
  )
}

function lengthen(event: PointerEvent): void {
  const toast = event.target instanceof Element && event.target.closest<HTMLElement>('[data-sonner-toast]')
  if (!toast) return
  for (const axis of ['--swipe-amount-x', '--swipe-amount-y']) {
    const moved = Number.parseFloat(toast.style.getPropertyValue(axis)) || 0
    if (Math.abs(moved) >= swipePx && Math.abs(moved) < libraryPx)
      toast.style.setProperty(axis, `${Math.sign(moved) * libraryPx}px`)
  }
}

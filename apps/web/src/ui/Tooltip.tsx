import { Tooltip as Radix } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'

/** Opens after 700 ms; moving on to the next within 300 ms opens at once. Stands once, around the application. */
export function TooltipProvider({ children }: { readonly children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={700} skipDelayDuration={300}>
      {children}
    </Radix.Provider>
  )
}

interface TooltipProps {
  readonly text: ReactNode
  readonly onOpenChange?: (open: boolean) => void
  readonly side?: 'top' | 'right' | 'bottom' | 'left'
  /** One element that can take focus. */
  readonly children: ReactElement
}

export function Tooltip({ text, onOpenChange, side = 'top', children }: TooltipProps) {
  return (
    <Radix.Root onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className="z-menu max-w-toast animate-menu-in rounded-control border border-float-line bg-ink px-2 py-1 text-label text-page shadow-float"
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

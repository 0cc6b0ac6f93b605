import type { ReactNode } from 'react'

interface ScrollerProps {
  /** Its name, for those who come to it with the keyboard. */
  readonly label: string
  readonly className: string
  readonly children: ReactNode
}

/** A frame that scrolls sideways where it is too narrow. It takes the focus, so that arrow keys can scroll it. */
export function Scroller({ label, className, children }: ScrollerProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section tabIndex={0} aria-label={label} className={className}>
      {children}
    </section>
  )
}

import type { ReactNode } from 'react'

interface PageHeadingProps {
  readonly children: ReactNode
  /** Under it, one line. */
  readonly lead?: ReactNode
  /** At the right: the screen's actions, the primary one last. */
  readonly actions?: ReactNode
}

/** The one h1 of a screen. It takes the focus when the screen is opened from another. */
export function PageHeading({ children, lead, actions }: PageHeadingProps) {
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
      <div className="min-w-0">
        <h1 tabIndex={-1} className="text-title">
          {children}
        </h1>
        {lead && <p className="text-muted">{lead}</p>}
      </div>
      {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
    </div>
  )
}

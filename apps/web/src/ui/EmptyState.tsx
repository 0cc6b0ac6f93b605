import type { ReactNode } from 'react'

interface EmptyStateProps {
  /** One sentence on what it is for, or what matched nothing. */
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
  /** A CommandBlock that does the same. */
  readonly command?: ReactNode
}

/** In the table's place. */
export function EmptyState({ title, children, action, command }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-start gap-4 rounded-panel border border-line bg-raised p-6">
      <div className="max-w-prose">
        <p className="text-heading">{title}</p>
        {children && <div className="pt-1 text-muted">{children}</div>}
      </div>
      {action}
      {command && <div className="w-full max-w-prose">{command}</div>}
    </div>
  )
}

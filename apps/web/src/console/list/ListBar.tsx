import type { ReactNode } from 'react'
import { cx } from '../../ui/cx.ts'

export interface ListBarProps {
  readonly filters: ReactNode
  /** How many rows are shown; empty until that is known. A list without it is not counted. */
  readonly count?: string
  /** The count changes by itself, so it is not read out. */
  readonly quietCount?: boolean
  /** At the right end: what is done with all that is shown. */
  readonly action?: ReactNode
}

/** Over the rows: what narrows them down, how many there are. */
export function ListBar({ filters, count, quietCount = false, action }: ListBarProps) {
  const counted = count !== undefined && (
    <p
      aria-live={quietCount ? undefined : 'polite'}
      className={cx(!action && 'ml-auto', 'text-label text-muted tabular-nums')}
    >
      {count}
    </p>
  )
  return (
    <div className="flex flex-wrap items-center gap-2">
      {filters}
      {action ? (
        <div className="ml-auto flex items-center gap-4">
          {counted}
          {action}
        </div>
      ) : (
        counted
      )}
    </div>
  )
}

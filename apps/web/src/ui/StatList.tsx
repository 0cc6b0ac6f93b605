import type { ReactNode } from 'react'
import { cx } from './cx.ts'

export interface Stat {
  readonly label: string
  readonly value: ReactNode
  /** What the figure counts, or since when. */
  readonly hint?: ReactNode
}

const columns = ['', 'lg:grid-cols-1', 'lg:grid-cols-2', 'lg:grid-cols-3', 'lg:grid-cols-4']

interface StatListProps {
  readonly label: string
  readonly stats: readonly Stat[]
  /** In a narrow place: two beside one another, however many there are. */
  readonly narrow?: boolean
}

/** A few figures side by side, each under its name. */
export function StatList({ label, stats, narrow = false }: StatListProps) {
  return (
    <dl
      aria-label={label}
      className={cx(
        'grid grid-cols-2 gap-px overflow-clip rounded-panel border border-line bg-line',
        !narrow && columns[Math.min(4, stats.length)],
      )}
    >
      {stats.map(stat => (
        <div key={stat.label} className="flex min-w-0 flex-col bg-raised px-4 py-3">
          <dt className="text-label text-muted">{stat.label}</dt>
          <dd className="text-stat max-sm:text-title">{stat.value}</dd>
          {stat.hint && <dd className="text-label font-normal text-muted">{stat.hint}</dd>}
        </div>
      ))}
    </dl>
  )
}

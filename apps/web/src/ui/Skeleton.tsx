import { cx } from './cx.ts'

/** A still block in the shape of what is coming. It says nothing by itself: `usePending` decides when it shows. */
export function Skeleton({ className }: { readonly className?: string }) {
  return <span aria-hidden className={cx('block h-4 rounded-tag bg-hover', className)} />
}

interface SkeletonRowsProps {
  readonly rows?: number
  readonly columns?: number
}

/** In the place of a table. */
export function SkeletonRows({ rows = 5, columns = 4 }: SkeletonRowsProps) {
  return (
    <div aria-busy className="rounded-panel border border-line bg-raised">
      <div className="h-head" />
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="flex h-row items-center gap-6 border-t border-line px-3">
          {Array.from({ length: columns }, (_, column) => (
            <Skeleton key={column} className={column === 0 ? 'w-1/4' : 'w-1/6'} />
          ))}
        </div>
      ))}
    </div>
  )
}

import type { ReactNode } from 'react'
import { cx } from '../../ui/cx.ts'

interface SampleProps {
  /** The flag of the block of content/sample.ts that is shown. */
  readonly sample: boolean
  readonly className?: string
  readonly children: ReactNode
}

/** Puts a dashed edge and the words around what an operator has not vouched for yet. Without the flag, adds nothing. */
export function Sample({ sample, className, children }: SampleProps) {
  if (!sample) return <div className={className}>{children}</div>
  return (
    <div className={cx('relative rounded-panel border border-dashed border-line-strong', className)}>
      <p className="absolute top-0 left-4 -translate-y-1/2 bg-page px-2 text-label text-muted">
        Sample content
      </p>
      {children}
    </div>
  )
}

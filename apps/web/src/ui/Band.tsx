import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import { type StatusKind, StatusShape } from './StatusShape.tsx'

type BandTone = 'info' | 'warn' | 'danger'

const tones: Record<BandTone, string> = {
  info: 'bg-info-soft text-info',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
}
const shapes: Record<BandTone, StatusKind> = { info: 'stopped', warn: 'attention', danger: 'failed' }

interface BandProps {
  readonly tone: BandTone
  /** Across the whole width, under a header: no corners. `site`: its words stand where those of a public page do. */
  readonly full?: boolean | 'site'
  /** The way out: a link or a button. */
  readonly action?: ReactNode
  readonly children: ReactNode
}

/** A line in place, before the consequence. Danger interrupts a reader; the others wait their turn. */
export function Band({ tone, full = false, action, children }: BandProps) {
  return (
    <div
      role={tone === 'danger' ? 'alert' : 'status'}
      className={cx('font-medium forced-colors:border', !full && 'rounded-panel', tones[tone])}
    >
      <div
        className={cx(
          'flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2',
          full === 'site' && 'mx-auto max-w-site sm:px-6',
        )}
      >
        <span className="flex min-w-0 grow items-start gap-2">
          <span className="flex h-5 items-center">
            <StatusShape kind={shapes[tone]} />
          </span>
          <span className="min-w-0 wrap-anywhere">{children}</span>
        </span>
        {action}
      </div>
    </div>
  )
}

import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import { type StatusKind, StatusShape } from './StatusShape.tsx'

const colors: Record<StatusKind, string> = {
  running: 'text-ok',
  changing: 'text-info',
  stopped: 'text-idle',
  attention: 'text-warn',
  failed: 'text-danger',
  gone: 'text-idle',
}

interface StatusMarkProps {
  readonly kind: StatusKind
  /** The word: Running, Starting, Stopped, … Never left out. */
  readonly children: ReactNode
  /** Beside a changing state: the step, or how long it has taken. */
  readonly detail?: ReactNode
}

export function StatusMark({ kind, children, detail }: StatusMarkProps) {
  return (
    <span className={cx('inline-flex items-center gap-2 font-medium whitespace-nowrap', colors[kind])}>
      <StatusShape kind={kind} />
      {children}
      {detail && <span className="font-normal text-muted tabular-nums">{detail}</span>}
    </span>
  )
}

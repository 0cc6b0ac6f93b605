import type { ReactNode } from 'react'
import { cx } from './cx.ts'

export type Tone = 'neutral' | 'ok' | 'warn' | 'danger' | 'info'

const tones: Record<Tone, string> = {
  neutral: 'bg-idle-soft text-idle',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  danger: 'bg-danger-soft text-danger',
  info: 'bg-info-soft text-info',
}

interface BadgeProps {
  readonly tone?: Tone
  /** Round, for a number: unread messages, rows of a kind. */
  readonly count?: boolean
  readonly children: ReactNode
}

export function Badge({ tone = 'neutral', count = false, children }: BadgeProps) {
  return (
    <span
      className={cx(
        'inline-flex items-center justify-center text-label whitespace-nowrap tabular-nums forced-colors:border',
        count ? 'h-5 min-w-5 rounded-full px-1' : 'rounded-tag px-1 py-px',
        tones[tone],
      )}
    >
      {children}
    </span>
  )
}

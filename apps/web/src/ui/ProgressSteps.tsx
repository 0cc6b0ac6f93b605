import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import { type StatusKind, StatusShape } from './StatusShape.tsx'

export type StepState = 'done' | 'active' | 'waiting' | 'failed'

export interface Step {
  readonly label: string
  readonly state: StepState
  /** True figures: how long it took, 3.1 of 7.4 GB, what went wrong. */
  readonly detail?: ReactNode
}

const looks: Record<StepState, { kind: StatusKind; color: string; word: string }> = {
  done: { kind: 'running', color: 'text-ok', word: 'done' },
  active: { kind: 'changing', color: 'text-info', word: 'in progress' },
  waiting: { kind: 'stopped', color: 'text-idle', word: 'waiting' },
  failed: { kind: 'failed', color: 'text-danger', word: 'failed' },
}

export function ProgressSteps({ label, steps }: { readonly label: string; readonly steps: readonly Step[] }) {
  return (
    <ol aria-label={label} aria-live="polite">
      {steps.map(step => {
        const { kind, color, word } = looks[step.state]
        return (
          <li
            key={step.label}
            aria-current={step.state === 'active' ? 'step' : undefined}
            className="flex items-center gap-3 border-t border-line py-2 first:border-t-0"
          >
            <span className={color}>
              <StatusShape kind={kind} />
            </span>
            <span className={cx('grow', step.state === 'waiting' ? 'text-muted' : 'font-medium')}>
              {step.label}
              <span className="sr-only">, {word}</span>
            </span>
            {step.detail && (
              <span className={cx('tabular-nums', step.state === 'failed' ? 'text-danger' : 'text-muted')}>
                {step.detail}
              </span>
            )}
          </li>
        )
      })}
    </ol>
  )
}

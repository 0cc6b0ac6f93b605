import type { ReactNode } from 'react'
import { Button } from '../../ui/Button.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'

interface NoMatchProps {
  /** What was looked for and not found. */
  readonly title: string
  readonly children?: ReactNode
  readonly onClear: () => void
  readonly clearLabel?: string
}

/** In the rows' place when the filters leave nothing. */
export function NoMatch({ title, children, onClear, clearLabel = 'Clear filters' }: NoMatchProps) {
  return (
    <EmptyState title={title} action={<Button onClick={onClear}>{clearLabel}</Button>}>
      {children}
    </EmptyState>
  )
}

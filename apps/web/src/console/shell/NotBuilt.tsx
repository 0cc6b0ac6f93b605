import type { ReactNode } from 'react'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { PageHeading } from './PageHeading.tsx'

interface NotBuiltProps {
  readonly heading: string
  /** One sentence: what this page will be for. */
  readonly purpose: string
  /** What to do meanwhile. */
  readonly children: ReactNode
  readonly action?: ReactNode
}

/** A page that is not there yet says so, and where to go instead. */
export function NotBuilt({ heading, purpose, children, action }: NotBuiltProps) {
  return (
    <div className="flex flex-col gap-6">
      <PageHeading>{heading}</PageHeading>
      <EmptyState title={purpose} action={action}>
        {children}
      </EmptyState>
    </div>
  )
}

import { IngotError } from '@ingot/contracts/errors'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { SkeletonRows } from '../../../ui/Skeleton.tsx'
import { QueryView } from '../../shell/QueryView.tsx'

interface DialogViewProps<Data> {
  /** The specification’s name of it: `Manage Instance`. */
  readonly title: string
  /** What it shows, in a word: `instance`. */
  readonly noun: string
  readonly query: UseQueryResult<Data>
  readonly onClose: () => void
  readonly children: (data: Data) => ReactNode
}

/** A dialog about one row that has an address: it may be opened when the row is not loaded, or no longer there. */
export function DialogView<Data>({ title, noun, query, onClose, children }: DialogViewProps<Data>) {
  const isGone = query.error instanceof IngotError && query.error.code === 'not_found'
  return (
    <Dialog open onOpenChange={onClose} title={title} width="l">
      {isGone ? (
        <EmptyState title={`There is no such ${noun}`} action={<Button onClick={onClose}>Close</Button>}>
          It was deleted, or the address is not whole.
        </EmptyState>
      ) : (
        <QueryView
          query={query}
          failed="Failed to load dashboard data"
          skeleton={<SkeletonRows rows={6} columns={2} />}
        >
          {children}
        </QueryView>
      )}
    </Dialog>
  )
}

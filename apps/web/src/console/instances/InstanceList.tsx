import type { Instance } from '@ingot/contracts/instances'
import type { UseQueryResult } from '@tanstack/react-query'
import { Button } from '../../ui/Button.tsx'
import { CommandBlock } from '../../ui/CommandBlock.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { toast } from '../../ui/toast.ts'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { usePending } from '../../ui/use-pending.ts'
import { deployCommands, firstDeploy } from './deploy/deploy-command.ts'
import { errorText, requestIdOf } from '../shell/error-text.ts'
import { sentence } from '../shell/sentence.ts'
import { InstanceTable } from './InstanceTable.tsx'
import type { InstanceDialog, InstancesSearch } from './instances-search.ts'
import type { ChangeSearch } from '../list/search-state.ts'

interface InstanceListProps {
  readonly list: UseQueryResult<{ items: Instance[]; next_cursor: string | null }>
  readonly filter: InstancesSearch
  readonly refreshing: boolean
  readonly onDeploy: () => void
  readonly onChange: ChangeSearch
  readonly onOpen: (dialog: InstanceDialog, id: string) => void
}

/** The table, or in its place why there is none. */
export function InstanceList({ list, filter, refreshing, onDeploy, onChange, onOpen }: InstanceListProps) {
  const { waiting, skeleton } = usePending(list.isPending)
  if (waiting) return skeleton ? <SkeletonRows rows={5} columns={6} /> : null
  if (!list.data) {
    return (
      <ErrorState
        title="The instances could not be loaded"
        requestId={requestIdOf(list.error)}
        onRetry={() => void list.refetch()}
        retrying={list.isFetching}
      >
        {sentence(errorText(list.error))} Your instances keep running; only this list is missing.
      </ErrorState>
    )
  }
  const { items, next_cursor } = list.data
  if (items.length > 0) {
    return (
      <>
        <InstanceTable instances={items} refreshing={refreshing} onOpen={onOpen} />
        {(next_cursor !== null || filter.cursor) && (
          <nav aria-label="Pages" className="flex justify-end gap-2">
            {filter.cursor && (
              <Button onClick={() => onChange({ cursor: undefined }, { step: true })}>Newest</Button>
            )}
            {next_cursor !== null && (
              <Button onClick={() => onChange({ cursor: next_cursor }, { step: true })}>Older</Button>
            )}
          </nav>
        )}
      </>
    )
  }
  if (filter.search || filter.status || filter.cursor) {
    return (
      <EmptyState
        title={noMatch(filter)}
        action={
          <Button onClick={() => onChange({ search: undefined, status: undefined, cursor: undefined })}>
            Clear filters
          </Button>
        }
      />
    )
  }
  return (
    <EmptyState
      title="An instance is a GPU machine of your own that you rent by the second."
      action={
        <Button variant="primary" onClick={onDeploy}>
          Deploy your first instance
        </Button>
      }
      command={
        <CommandBlock
          label="The same as a command"
          commands={deployCommands(location.origin, firstDeploy)}
          onCopied={() => toast.success('Copied to clipboard')}
        />
      }
    >
      You have none yet. Stopped it costs $0.00 per hour, and its disk stays.
    </EmptyState>
  )
}

function noMatch({ search, status, cursor }: InstancesSearch): string {
  if (!search && !status) return cursor ? 'There are no older instances.' : ''
  return `No${status ? ` ${status}` : ''} instances${search ? ` match '${search}'` : ''}.`
}

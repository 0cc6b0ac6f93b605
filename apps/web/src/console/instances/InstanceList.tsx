import type { Instance } from '@ingot/contracts/instances'
import type { UseQueryResult } from '@tanstack/react-query'
import { Button } from '../../ui/Button.tsx'
import { CommandBlock } from '../../ui/CommandBlock.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { toast } from '../../ui/toast.ts'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import type { Keys } from '../../ui/use-selection.ts'
import { ListFrame } from '../list/ListFrame.tsx'
import { NoMatch } from '../list/NoMatch.tsx'
import type { ChangeSearch } from '../list/search-state.ts'
import { deployCommands, firstDeploy } from './deploy/deploy-command.ts'
import { InstanceFilters } from './InstanceFilters.tsx'
import { InstanceTable } from './InstanceTable.tsx'
import type { InstanceDialog, InstancesSearch } from './instances-search.ts'

interface InstanceListProps {
  readonly list: UseQueryResult<{ items: Instance[]; next_cursor: string | null }>
  readonly filter: InstancesSearch
  /** How many there are, and how fresh that is. */
  readonly count: string
  readonly refreshing: boolean
  readonly selected: Keys
  readonly onSelected: (selected: Keys) => void
  readonly onDeploy: () => void
  readonly onChange: ChangeSearch
  readonly onOpen: (dialog: InstanceDialog, id: string) => void
}

/** The filters, and the table or in its place why there is none. */
export function InstanceList({
  list,
  filter,
  count,
  refreshing,
  selected,
  onSelected,
  onDeploy,
  onChange,
  onOpen,
}: InstanceListProps) {
  const items = list.data?.items ?? []
  return (
    <ListFrame
      filters={<InstanceFilters filter={filter} onChange={onChange} />}
      count={count}
      quietCount
      query={list}
      quietAge
      failed="The instances could not be loaded"
      consequence="Your instances keep running; only this list is missing."
      skeleton={<SkeletonRows rows={5} columns={6} />}
      isEmpty={items.length === 0}
      isFiltered={Boolean(filter.search || filter.status || filter.cursor)}
      noMatch={
        <NoMatch
          title={noMatch(filter)}
          onClear={() => onChange({ search: undefined, status: undefined, cursor: undefined })}
        />
      }
      empty={<NoInstances onDeploy={onDeploy} />}
    >
      <InstanceTable
        instances={items}
        refreshing={refreshing}
        selected={selected}
        onSelected={onSelected}
        onOpen={onOpen}
      />
      <PageLinks cursor={filter.cursor} next={list.data?.next_cursor ?? null} onChange={onChange} />
    </ListFrame>
  )
}

interface PageLinksProps {
  readonly cursor: string | undefined
  readonly next: string | null
  readonly onChange: ChangeSearch
}

/** The page is in the address, so that Back and a reload keep to it. */
function PageLinks({ cursor, next, onChange }: PageLinksProps) {
  if (next === null && !cursor) return null
  return (
    <nav aria-label="Pages" className="flex justify-end gap-2">
      {cursor && <Button onClick={() => onChange({ cursor: undefined }, { step: true })}>Newest</Button>}
      {next !== null && <Button onClick={() => onChange({ cursor: next }, { step: true })}>Older</Button>}
    </nav>
  )
}

function NoInstances({ onDeploy }: { readonly onDeploy: () => void }) {
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

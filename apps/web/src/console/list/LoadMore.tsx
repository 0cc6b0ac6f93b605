import { Button } from '../../ui/Button.tsx'
import type { Pages } from './use-pages.ts'

interface LoadMoreProps {
  readonly list: Pages
  readonly children?: string
}

/** The next page of a list that grows at its end; nothing when all is here. */
export function LoadMore({ list, children = 'Load more' }: LoadMoreProps) {
  if (!list.hasNextPage) return null
  return (
    <div>
      <Button onClick={() => void list.fetchNextPage()} busy={list.isFetchingNextPage} busyLabel="Loading...">
        {children}
      </Button>
    </div>
  )
}

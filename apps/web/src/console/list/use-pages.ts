import {
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query'

export interface Page<Row> {
  readonly items: readonly Row[]
  readonly next_cursor: string | null
}

interface PagesOptions<Row> {
  readonly queryKey: QueryKey
  readonly pageSize: number
  readonly fetch: (
    page: { readonly limit: number; readonly cursor: string | undefined },
    options: { readonly signal: AbortSignal },
  ) => Promise<Page<Row>>
  /** Rows of the filter before stay until those of the new one are here. */
  readonly keepRows?: boolean
  /** For what is not pushed: asks again so often, also by what the rows say. */
  readonly refetchMs?: number | ((rows: readonly Row[]) => number)
}

/** How far a list is loaded, whatever is in its rows. */
export type Pages = Pick<UseInfiniteQueryResult, 'hasNextPage' | 'fetchNextPage' | 'isFetchingNextPage'>

/** A list that grows at its end, page by page, and all its rows that are loaded. */
export function usePages<Row>({ queryKey, pageSize, fetch, keepRows = false, refetchMs }: PagesOptions<Row>) {
  const list = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }) => {
      let page = await fetch({ limit: pageSize, cursor: pageParam }, { signal })
      // A search looks at so many rows for one page, and may have found none among them.
      while (page.items.length === 0 && page.next_cursor !== null)
        page = await fetch({ limit: pageSize, cursor: page.next_cursor }, { signal })
      return page
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next_cursor ?? undefined,
    refetchInterval:
      typeof refetchMs === 'function'
        ? ({ state }) => refetchMs(state.data?.pages.flatMap(page => page.items) ?? [])
        : refetchMs,
    placeholderData: keepRows ? keepPreviousData : undefined,
  })
  const rows = list.data?.pages.flatMap(page => page.items) ?? []
  return { list, rows }
}

/** `50+`: what is not loaded is not counted. */
export const orMore = (count: number, { hasNextPage }: Pick<Pages, 'hasNextPage'>): string =>
  `${count}${hasNextPage ? '+' : ''}`

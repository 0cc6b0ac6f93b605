import type { Template } from '@ingot/contracts/templates'
import { useQuery } from '@tanstack/react-query'
import { ownTemplatesQuery, templatesQuery } from './queries.ts'

/** One's own and the public ones, as one answer: it is there when both are. */
export function useTemplates() {
  const [mine, open] = [useQuery(ownTemplatesQuery), useQuery(templatesQuery)]
  const data: { readonly mine: readonly Template[]; readonly open: readonly Template[] } | undefined =
    mine.data && open.data && { mine: mine.data.items, open: open.data.items }
  return {
    data,
    error: mine.error ?? open.error,
    isPending: mine.isPending || open.isPending,
    isFetching: mine.isFetching || open.isFetching,
    refetch: () => Promise.all([mine.refetch(), open.refetch()]),
    dataUpdatedAt: Math.min(mine.dataUpdatedAt, open.dataUpdatedAt),
  }
}

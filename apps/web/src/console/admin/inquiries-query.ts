/** The list of inquiries, and what keeps it true after an act: the row that the service answered is shown at once. */
import type { Inquiry, InquiryStatus } from '@ingot/contracts/site'
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../shell/api.ts'

const pageSize = 50
const listKey = ['site', 'inquiries'] as const

interface InquiryPage {
  readonly items: readonly Inquiry[]
  readonly next_cursor: string | null
}

export const useInquiries = (status: InquiryStatus | undefined) =>
  useInfiniteQuery({
    queryKey: [...listKey, status ?? 'any'],
    queryFn: ({ pageParam, signal }) =>
      api.site.inquiries({ limit: pageSize, cursor: pageParam, status }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next_cursor ?? undefined,
  })

export function useKeepInquiry(): (inquiry: Inquiry) => void {
  const client = useQueryClient()
  return inquiry => {
    client.setQueriesData<InfiniteData<InquiryPage>>(
      { queryKey: listKey },
      data =>
        data && {
          ...data,
          pages: data.pages.map(page => ({
            ...page,
            items: page.items.map(each => (each.id === inquiry.id ? inquiry : each)),
          })),
        },
    )
    // Other filters show it or not; the one on screen keeps it until it is opened again.
    void client.invalidateQueries({ queryKey: listKey, refetchType: 'none' })
  }
}

/** The list of inquiries, and what keeps it true after an act: the row that the service answered is shown at once. */
import type { Inquiry, InquiryKind, InquiryStatus } from '@ingot/contracts/site'
import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import { type Page, usePages } from '../list/use-pages.ts'
import { api } from '../shell/api.ts'

const listKey = ['site', 'inquiries'] as const

interface InquiryWish {
  readonly status: InquiryStatus | undefined
  readonly kind: InquiryKind | undefined
}

export const useInquiries = (wish: InquiryWish) =>
  usePages({
    queryKey: [...listKey, wish],
    pageSize: 50,
    fetch: (page, options) => api.site.inquiries({ ...page, ...wish }, options),
  })

export function useKeepInquiry(): (inquiry: Inquiry) => void {
  const client = useQueryClient()
  return inquiry => {
    client.setQueriesData<InfiniteData<Page<Inquiry>>>(
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

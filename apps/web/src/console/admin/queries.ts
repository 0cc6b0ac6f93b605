/** Hosts; the list of inquiries, and what keeps it true after an act: the row that the service answered is shown at once. */
import type { Inquiry, InquiryStatus } from '@ingot/contracts/site'
import { type InfiniteData, queryOptions, useQueryClient } from '@tanstack/react-query'
import { type Page, usePages } from '../list/use-pages.ts'
import { api } from '../shell/api.ts'

const listKey = ['site', 'inquiries'] as const

export const useInquiries = (status: InquiryStatus | undefined) =>
  usePages({
    queryKey: [...listKey, status ?? 'any'],
    pageSize: 50,
    fetch: (page, options) => api.site.inquiries({ ...page, status }, options),
  })

/** What is taken of a host is no fact that is pushed. */
const hostsEveryMs = 30_000

export const useHosts = () =>
  usePages({
    queryKey: ['catalog', 'hosts'],
    pageSize: 100,
    fetch: (page, options) => api.catalog.hosts(page, options),
    refetchMs: hostsEveryMs,
  })

export const unpricedQuery = queryOptions({
  queryKey: ['catalog', 'unpriced'],
  queryFn: async ({ signal }) => (await api.catalog.hosts({ limit: 1 }, { signal })).unpriced,
  refetchInterval: hostsEveryMs,
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

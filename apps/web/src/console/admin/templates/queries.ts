/** What customers proposed for everybody. */
import type { ReviewStatus } from '@ingot/contracts/templates'
import { usePages } from '../../list/use-pages.ts'
import { api } from '../../shell/api.ts'

export const reviewsKey = ['templates', 'reviews'] as const

export const useReviews = (status: ReviewStatus | undefined) =>
  usePages({
    queryKey: [...reviewsKey, status ?? 'any'],
    pageSize: 20,
    fetch: (page, options) => api.templates.reviews({ ...page, status }, options),
    refetchMs: 60_000,
  })

import { IngotError } from '@ingot/contracts/errors'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../shell/api.ts'

/** The public ones. They change with a release of the service and with a review, so an answer is good for some minutes. */
export const templatesQuery = queryOptions({
  queryKey: ['templates', 'public'],
  queryFn: ({ signal }) => api.templates.list({}, { signal }),
  staleTime: 300_000,
})

export const ownTemplatesQuery = queryOptions({
  queryKey: ['templates', 'mine'],
  queryFn: ({ signal }) => api.templates.mine({}, { signal }),
})

/** `key`: of one that somebody else shares. */
export const templateQuery = (id: string, key?: string) =>
  queryOptions({
    queryKey: ['templates', 'one', id, key ?? null],
    queryFn: ({ signal }) => api.templates.get({ id, ...(key && { key }) }, { signal }),
    retry: (failures, error) => !isUnknown(error) && failures < 2,
  })

/** There is no such template, or not for whoever asks. */
export const isUnknown = (error: unknown): boolean =>
  error instanceof IngotError && (error.code === 'not_found' || error.code === 'validation_failed')

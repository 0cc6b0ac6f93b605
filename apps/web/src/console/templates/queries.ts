import { queryOptions } from '@tanstack/react-query'
import { api } from '../shell/api.ts'

/** All of them. They change with a release of the service, so an hour's answer is as good as a new one. */
export const templatesQuery = queryOptions({
  queryKey: ['templates'],
  queryFn: ({ signal }) => api.templates.list({}, { signal }),
  staleTime: 3_600_000,
})

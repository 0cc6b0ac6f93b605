/** What the operator tells everybody in the console now. A change of it is pushed. */
import { queryOptions } from '@tanstack/react-query'
import { api } from './api.ts'

export const toldQuery = queryOptions({
  queryKey: ['site', 'told'],
  queryFn: ({ signal }) => api.site.told({ place: 'console' }, { signal }),
})

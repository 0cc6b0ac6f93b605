/** What is for sale and where. Its only screen is the deploy screen of the instances. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../shell/api.ts'

export const gpusQuery = queryOptions({
  queryKey: ['catalog', 'gpus'],
  queryFn: ({ signal }) => api.catalog.gpus({}, { signal }),
})
export const regionsQuery = queryOptions({
  queryKey: ['catalog', 'regions'],
  queryFn: ({ signal }) => api.catalog.regions({}, { signal }),
})

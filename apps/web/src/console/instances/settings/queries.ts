/** When an instance starts and stops by itself. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../shell/api.ts'

/** What a look finds is no fact that is pushed. */
const lookMs = 30_000
/** As the specification has it. */
const checkMs = 60_000

export const idlenessQuery = (id: string) =>
  queryOptions({
    queryKey: ['instances', 'idleness', id],
    queryFn: ({ signal }) => api.instances.idleness({ id }, { signal }),
    refetchInterval: lookMs,
  })

/** The list's check of what stops soon. It decides nothing: the service looks by itself. */
export const idleCheckQuery = queryOptions({
  queryKey: ['instances', 'idle-check'],
  queryFn: ({ signal }) => api.instances.checkIdle({}, { signal }),
  refetchInterval: checkMs,
})

export const schedulesQuery = (id: string) =>
  queryOptions({
    queryKey: ['instances', 'schedules', id],
    queryFn: ({ signal }) => api.instances.schedules({ id }, { signal }),
  })

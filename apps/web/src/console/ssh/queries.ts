import { queryOptions } from '@tanstack/react-query'
import { api } from '../shell/api.ts'

export const sshKeysQuery = queryOptions({
  queryKey: ['ssh', 'keys'],
  queryFn: ({ signal }) => api.ssh.keys({}, { signal }),
})

import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '../shell/api.ts'

const roleQuery = queryOptions({
  queryKey: ['accounts', 'role'],
  queryFn: ({ signal }) => api.accounts.userRole({}, { signal }),
})

interface RoleState {
  readonly isAdmin: boolean
  /** A moderator or an administrator. */
  readonly isStaff: boolean
  readonly isLoading: boolean
}

/** What the service says this user is. A role that cannot be fetched is no role. */
export function useRole(): RoleState {
  const { data, error, isPending } = useQuery(roleQuery)
  useEffect(() => {
    if (error) console.warn('the role could not be loaded', error)
  }, [error])
  return {
    isAdmin: data?.role === 'admin',
    isStaff: data?.role === 'admin' || data?.role === 'moderator',
    isLoading: isPending && !error,
  }
}

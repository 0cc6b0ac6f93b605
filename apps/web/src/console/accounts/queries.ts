/** What the settings show. Keys begin with `accounts` for the service's rows and with `auth` for the signed-in user. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../shell/api.ts'
import { auth } from '../session/auth.tsx'
import { kindOf } from '../session/factor-text.ts'

export const profileQuery = queryOptions({
  queryKey: ['accounts', 'profile'],
  queryFn: ({ signal }) => api.accounts.profile({}, { signal }),
})
export const apiKeyQuery = queryOptions({
  queryKey: ['accounts', 'api-key'],
  queryFn: ({ signal }) => api.accounts.apiKey({}, { signal }),
})
export const sessionsQuery = queryOptions({
  queryKey: ['accounts', 'sessions'],
  queryFn: ({ signal }) => api.accounts.sessions({ limit: 100 }, { signal }),
})
export const deletionQuery = queryOptions({
  queryKey: ['accounts', 'deletion'],
  queryFn: ({ signal }) => api.accounts.deletion({}, { signal }),
  staleTime: 0,
})

/** The user as the service knows it now: address, identities and factors may have changed in another browser. */
export const userQuery = queryOptions({
  queryKey: ['auth', 'user'],
  queryFn: async () => {
    const { data, error } = await auth.getUser()
    if (error) throw error
    return data.user
  },
})

/** How many recovery codes are left; null when there are none, or when the service has none to give. */
export const recoveryCodesQuery = queryOptions({
  queryKey: ['auth', 'recovery-codes'],
  queryFn: async ({ client }) => {
    // The service answers 404 where none were made, and a browser writes every 404 into its console.
    const { factors } = await client.fetchQuery(userQuery)
    if (!factors?.some(factor => kindOf(factor) === 'recovery_code')) return null
    const { data, error } = await auth.mfa.recoveryCodes.getStatus()
    if (error && (error.status ?? 0) < 500 && error.status !== 429) return null
    if (error) throw error
    return data
  },
})

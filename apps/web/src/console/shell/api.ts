/**
 * The console's client: the public SDK with the signed-in user's token, and no privilege beside.
 *
 * The shell is what screens of all nouns use: this client and its cache, live updates, the states of a query, headings
 * and titles. What a noun asks the service stands in the noun's `queries.ts`; keys begin with the noun, and `live.ts`
 * refreshes by it (`usdt-config` is the exception: no fact may fetch it). Of a noun, only what rooms above the noun need
 * stands here: the account's settings, because the deploy screen begins with its preferences, and `dev-tools.ts`,
 * because sign-in and wallet offer the inbox and the faucet.
 */
import { createClient } from '@ingot/sdk/client'
import { queryOptions } from '@tanstack/react-query'
import { accessToken } from '../session/auth.tsx'
import { guardedFetch } from './guarded-fetch.ts'

export const api = createClient({ baseUrl: '', token: accessToken, fetch: guardedFetch })

export const settingsQuery = queryOptions({
  queryKey: ['accounts', 'settings'],
  queryFn: ({ signal }) => api.accounts.settings({}, { signal }),
})

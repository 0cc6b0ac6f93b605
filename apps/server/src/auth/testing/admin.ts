/** A service with a service key, and calls to it with that key. */
import { createHash } from 'node:crypto'
import { GoTrueAdminApi } from '@supabase/auth-js'
import { expect } from 'vitest'
import { noProviders } from '../../config.ts'
import { apiVersion, createTestAuth, newEmail, type TestAuth, useTestAuth } from './auth-server.ts'

export const serviceKey = 'service-key-of-the-test'
export const providers = {
  ...noProviders,
  serviceKeyHash: createHash('sha256').update(serviceKey).digest(),
}
export const password = 'correct horse'

export const adminOf = ({ url }: TestAuth, token = serviceKey) =>
  new GoTrueAdminApi({ url, headers: { apikey: token, Authorization: `Bearer ${token}` } })

export function useTestAdmin() {
  const auth = useTestAuth(() => createTestAuth({ providers }))
  const admin = () => adminOf(auth)

  const call = (method: string, path: string, body?: unknown) =>
    auth.call(method, path, { token: serviceKey, headers: apiVersion, body })

  async function made(more: Parameters<GoTrueAdminApi['createUser']>[0] = {}) {
    const { data, error } = await admin().createUser({ email: newEmail(), email_confirm: true, ...more })
    expect(error).toBeNull()
    return data.user!
  }

  return { auth, admin, call, made }
}

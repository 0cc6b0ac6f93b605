/**
 * Who may make the administrator's calls: a program that holds the operator's service key, or a session of a user whose
 * role says so. The key is compared by hash, so the time tells nothing of it.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { actAs } from '../../db/act.ts'
import { AuthError } from '../errors.ts'
import { type RequireSessionNeeds, readBearer, requireSession } from '../sessions/require-session.ts'
import type { AuthSettings } from '../settings.ts'

export interface AdminCallerNeeds extends RequireSessionNeeds {
  readonly settings: AuthSettings
}

const serviceRole = 'service_role'
const adminRoles = new Set([serviceRole, 'supabase_admin'])

/** Returns the administrator's id, or what the key is called. */
export async function requireAdmin(request: FastifyRequest, needs: AdminCallerNeeds): Promise<string> {
  const bearer = readBearer(request)
  if (!bearer) throw new AuthError(401, 'no_authorization', 'This endpoint requires a valid Bearer token')
  if (isServiceKey(needs, bearer)) return acting(serviceRole, serviceRole)
  const { role } = await needs.tokens.verify(bearer)
  if (!adminRoles.has(role)) throw notAdmin()
  const { user } = await requireSession(request, needs)
  if (!adminRoles.has(user.role)) throw notAdmin()
  return acting(user.id, user.role)
}

function acting(by: string, role: string): string {
  actAs(`staff:${by}`, role)
  return by
}

const notAdmin = () => new AuthError(403, 'not_admin', 'User not allowed')

function isServiceKey({ settings }: { settings: AuthSettings }, bearer: string): boolean {
  const { serviceKeyHash } = settings.providers
  const hash = createHash('sha256').update(bearer).digest()
  return serviceKeyHash !== null && timingSafeEqual(hash, serviceKeyHash)
}

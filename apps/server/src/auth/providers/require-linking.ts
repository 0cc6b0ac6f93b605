import type { FastifyRequest } from 'fastify'
import { AuthError } from '../errors.ts'
import {
  assertSecondFactor,
  type StandingSession,
  type RequireSessionNeeds,
  requireSession,
} from '../sessions/require-session.ts'
import type { AuthSettings } from '../settings.ts'

/** The signed-in user, who may change what they sign in with. */
export async function requireLinking(
  request: FastifyRequest,
  needs: RequireSessionNeeds & { settings: AuthSettings },
): Promise<StandingSession> {
  const standing = await requireSession(request, needs)
  if (!needs.settings.manualLinking)
    throw new AuthError(404, 'manual_linking_disabled', 'Manual linking is disabled')
  assertSecondFactor(standing.user, standing.session, 'link or unlink identities')
  return standing
}

/** POST /token?grant_type=id_token: somebody whom an app on their device has already signed in to a provider. */
import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { inTransaction } from '../../db/database.ts'
import { type Body, readBody } from '../body.ts'
import type { LinkNeeds } from '../codes/mail-link.ts'
import { AuthError, OAuthError } from '../errors.ts'
import { type LimitNeeds, takeToken } from '../limits.ts'
import type { RequireSessionNeeds } from '../sessions/require-session.ts'
import { sessionBody } from '../sessions/session.ts'
import { type SessionNeeds, startSession } from '../sessions/start-session.ts'
import type { Visitor } from '../visitor.ts'
import { admitPerson } from './admit-person.ts'
import { linkIdentity } from './link-identity.ts'
import type { IdToken } from './provider.ts'
import { findIssuer } from './providers.ts'
import { requireLinking } from './require-linking.ts'

interface IdTokenNeeds extends LimitNeeds, LinkNeeds, RequireSessionNeeds, SessionNeeds {
  readonly wakeMail: () => void
}

const maxToken = 16_384

export async function signInWithIdToken(needs: IdTokenNeeds, request: FastifyRequest, visitor: Visitor) {
  await takeToken(needs, 'token', visitor.ip)
  const body = readBody(request)
  if (!body.text('provider')) throw new OAuthError('invalid request', 'provider required')
  const issuer = findIssuer(needs.settings, body.text('provider'))
  const idToken = body.text('id_token', maxToken)
  if (!idToken) throw new OAuthError('invalid request', 'id_token required')
  const standing = body.flag('link_identity', false) ? await requireLinking(request, needs) : null
  const token = await issuer.read(idToken, body.text('access_token', maxToken)).catch((error: unknown) => {
    const { name, message } = error as Error
    request.log.info({ provider: issuer.id, name, reason: message }, 'an ID token was refused')
    throw new OAuthError('invalid request', 'Bad ID token')
  })
  assertMeant(token, issuer.clientId, body)

  const outcome = await inTransaction(needs.database.kysely, async tx => {
    const user = standing
      ? await linkIdentity(tx, issuer.id, token.person, {
          userId: standing.user.id,
          sessionId: standing.session.id,
        })
      : await admitPerson(tx, needs, issuer.id, token.person, visitor.redirectTo)
    if (user instanceof AuthError) return user
    return startSession(tx, needs, { userId: user.id, method: 'oauth', visitor })
  })
  needs.wakeMail()
  if (outcome instanceof AuthError) throw outcome
  return sessionBody(needs, outcome)
}

/**
 * Refuses a token that is not for this service, or not for the one who asked for it: apps give the provider the hash of
 * a nonce, and the nonce to us.
 */
function assertMeant(token: IdToken, clientId: string, body: Body): void {
  if (!token.audiences.includes(clientId))
    throw new OAuthError('invalid request', 'Unacceptable audience in id_token')
  const nonce = body.text('nonce', 1024)
  if (!nonce !== !token.nonce)
    throw new OAuthError(
      'invalid request',
      'Passed nonce and nonce in id_token should either both exist or not.',
    )
  if (nonce && createHash('sha256').update(nonce).digest('hex') !== token.nonce)
    throw new OAuthError('invalid nonce', 'Nonces mismatch')
}

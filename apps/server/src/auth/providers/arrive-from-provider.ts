/**
 * Receives a browser that comes back from a provider. Its state is taken once, whatever the provider says; then the
 * provider is asked, outside of any transaction, who came. The browser is always sent on.
 */
import type { FastifyRequest } from 'fastify'
import { AuthError, OAuthError } from '../errors.ts'
import { allowedRedirect } from '../redirect.ts'
import type { AuthSettings } from '../settings.ts'
import type { Visitor } from '../visitor.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { admitPerson } from './admit-person.ts'
import { callbackUrl } from './authorize.ts'
import type { Flow } from './flows.ts'
import { linkIdentity } from './link-identity.ts'
import type { Visit } from './provider.ts'
import { findProvider } from './providers.ts'
import { returnWithError } from './return-with-error.ts'
import { type ReturnNeeds, returnWithSession } from './return-with-session.ts'
import { takeFlow } from './take-flow.ts'

const maxState = 64
const maxText = 300

export async function arriveFromProvider(
  needs: ReturnNeeds,
  request: FastifyRequest,
  answer: URLSearchParams,
  visitor: Visitor,
): Promise<string> {
  const state = answer.get('state') ?? ''
  if (!state || state.length > maxState) {
    const missing = new AuthError(400, 'bad_oauth_callback', 'OAuth state parameter missing')
    return returnWithError(needs.siteUrl, missing)
  }
  const taken = await takeFlow(needs, state)
  if ('refusal' in taken) return returnWithError(taken.redirectTo ?? needs.siteUrl, taken.refusal)
  const { flow } = taken
  // The list of allowed places may be shorter by now.
  const redirectTo = allowedRedirect(flow.redirectTo, needs) ?? needs.siteUrl
  try {
    const visit = await meet(needs, request, flow, answer, state)
    const back = { redirectTo, challenge: flow.challenge, method: 'oauth', ...visit }
    return await returnWithSession(needs, visitor, back, tx => {
      const { provider, linkTo, invitedUserId } = flow
      if (linkTo) return linkIdentity(tx, provider, visit.person, linkTo)
      if (invitedUserId) return acceptInvitation(tx, provider, visit.person, invitedUserId)
      return admitPerson(tx, needs, provider, visit.person, redirectTo)
    })
  } catch (error) {
    if (error instanceof AuthError || error instanceof OAuthError) return returnWithError(redirectTo, error)
    throw error
  }
}

async function meet(
  needs: { settings: AuthSettings; siteUrl: string },
  request: FastifyRequest,
  flow: Flow,
  answer: URLSearchParams,
  state: string,
): Promise<Visit> {
  const refused = answer.get('error')
  if (refused)
    throw new OAuthError(refused.slice(0, maxText), (answer.get('error_description') ?? '').slice(0, maxText))
  if (!answer.get('code')) throw new AuthError(400, 'bad_oauth_callback', 'OAuth code parameter missing')
  const provider = findProvider(needs.settings, flow.provider)
  const url = new URL(`${callbackUrl(needs)}?${answer.toString()}`)
  try {
    return await provider.arrive({ url, state, verifier: flow.verifier, nonce: flow.nonce })
  } catch (error) {
    if (error instanceof AuthError) throw error
    const { name, message, code } = error as Error & { code?: string }
    request.log.warn(
      { provider: provider.id, name, code, reason: message },
      'a provider’s answer was refused',
    )
    throw new AuthError(500, 'unexpected_failure', 'Unable to exchange external code')
  }
}

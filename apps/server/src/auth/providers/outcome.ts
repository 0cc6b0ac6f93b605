/**
 * How a browser comes back from a provider: with a session in the fragment, where no server's log sees it, or with a code
 * in the query for the page that holds the verifier. Refusals are in the query and in the fragment.
 */
import { AuthError, type OAuthError } from '../errors.ts'
import { type Challenge, issueCode, type SealedTokens, providerTokenContext } from '../codes/pkce.ts'
import { inTransaction, type Tx } from '../../db/database.ts'
import type { UserRow } from '../queries.ts'
import { withFragment, withQuery } from '../redirect.ts'
import type { AuthServices, Visitor } from '../services.ts'
import { type Opened, sessionBody, startSession } from '../sessions/session.ts'

export interface Return {
  readonly redirectTo: string
  readonly challenge: Challenge | null
  readonly method: string
  readonly ssoProviderId?: string
  readonly token?: string
  readonly refreshToken?: string | null
}

type Outcome = { readonly code: string } | Opened | AuthError

/** Where the browser goes once `whose` has found the account, in the same transaction. */
export async function returnWithSession(
  auth: AuthServices,
  visitor: Visitor,
  back: Return,
  whose: (tx: Tx) => Promise<UserRow | AuthError>,
): Promise<string> {
  const outcome = await inTransaction(auth.database.kysely, async (tx): Promise<Outcome> => {
    const user = await whose(tx)
    if (user instanceof AuthError) return user
    const { challenge, method, ssoProviderId } = back
    if (!challenge) return startSession(tx, auth, { userId: user.id, method, visitor, ssoProviderId })
    const code = await issueCode(tx, {
      userId: user.id,
      challenge,
      method,
      lifeSeconds: auth.settings.codeLifeSeconds,
      providerTokens: sealTokens(auth, user.id, back),
      ssoProviderId: ssoProviderId ?? null,
    })
    return { code }
  })
  auth.wakeMail()
  if (outcome instanceof AuthError) throw outcome
  if ('code' in outcome) return withQuery(back.redirectTo, { code: outcome.code })
  const session = await sessionBody(auth, outcome)
  return withFragment(back.redirectTo, {
    access_token: session.access_token,
    expires_at: String(session.expires_at),
    expires_in: String(session.expires_in),
    refresh_token: session.refresh_token,
    token_type: session.token_type,
    ...(back.token ? { provider_token: back.token } : {}),
    ...(back.refreshToken ? { provider_refresh_token: back.refreshToken } : {}),
    sb: '',
  })
}

function sealTokens({ vault }: AuthServices, userId: string, back: Return): SealedTokens | null {
  if (!back.token) return null
  const seal = (value: string) => vault.seal(value, providerTokenContext(userId))
  return { token: seal(back.token), refreshToken: back.refreshToken ? seal(back.refreshToken) : null }
}

export function returnWithError(redirectTo: string, error: AuthError | OAuthError): string {
  const values: Record<string, string> =
    error instanceof AuthError
      ? { error: nameOf(error), error_code: error.code, error_description: error.message }
      : { error: error.error, error_description: error.message }
  return withFragment(withQuery(redirectTo, values), { ...values, sb: '' })
}

const names: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
}
const denials = new Set(['signup_disabled', 'user_banned', 'provider_email_needs_verification'])

function nameOf({ status, code }: AuthError): string {
  return denials.has(code) ? 'access_denied' : (names[status] ?? 'server_error')
}

/**
 * Sends a browser back from a provider: with a session in the fragment, where no server's log sees it, or with a code
 * in the query for the page that holds the verifier.
 */
import { inTransaction, type Tx } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import { issueCode } from '../codes/issue-code.ts'
import { type Challenge, providerTokenContext, type SealedTokens } from '../codes/pkce.ts'
import { AuthError } from '../errors.ts'
import type { LimitNeeds } from '../limits.ts'
import type { UserRow } from '../queries.ts'
import { withFragment, withQuery } from '../redirect.ts'
import { type Opened, sessionBody } from '../sessions/session.ts'
import { type SessionNeeds, startSession } from '../sessions/start-session.ts'
import type { Tokens } from '../sessions/tokens.ts'
import type { Visitor } from '../visitor.ts'

export interface ReturnNeeds extends LimitNeeds, SessionNeeds {
  readonly tokens: Tokens
  readonly wakeMail: () => void
}

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
  needs: ReturnNeeds,
  visitor: Visitor,
  back: Return,
  whose: (tx: Tx) => Promise<UserRow | AuthError>,
): Promise<string> {
  const outcome = await inTransaction(needs.database.kysely, async (tx): Promise<Outcome> => {
    const user = await whose(tx)
    if (user instanceof AuthError) return user
    const { challenge, method, ssoProviderId } = back
    if (!challenge) return startSession(tx, needs, { userId: user.id, method, visitor, ssoProviderId })
    const code = await issueCode(tx, {
      userId: user.id,
      challenge,
      method,
      lifeSeconds: needs.settings.codeLifeSeconds,
      providerTokens: sealTokens(needs, user.id, back),
      ssoProviderId: ssoProviderId ?? null,
    })
    return { code }
  })
  needs.wakeMail()
  if (outcome instanceof AuthError) throw outcome
  if ('code' in outcome) return withQuery(back.redirectTo, { code: outcome.code })
  const session = await sessionBody(needs, outcome)
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

function sealTokens({ vault }: { vault: Vault }, userId: string, back: Return): SealedTokens | null {
  if (!back.token) return null
  const seal = (value: string) => vault.seal(value, providerTokenContext(userId))
  return { token: seal(back.token), refreshToken: back.refreshToken ? seal(back.refreshToken) : null }
}

/** Exchanges the code of a PKCE link for a session. The code works once, and only with the verifier. */
import { inTransaction } from '../../db/database.ts'
import type { Body } from '../body.ts'
import { AuthError, invalid } from '../errors.ts'
import { takeToken } from '../limits.ts'
import { providerTokenContext, type SealedTokens, takeCode } from './pkce.ts'
import type { AuthServices, Visitor } from '../services.ts'
import { sessionBody, startSession } from '../sessions/session.ts'

export async function exchangeCode(auth: AuthServices, body: Body, visitor: Visitor) {
  await takeToken(auth, 'token', visitor.ip)
  const code = body.text('auth_code')
  const verifier = body.text('code_verifier')
  if (!code || !verifier)
    throw invalid('invalid request: both auth code and code verifier should be non-empty')
  const { opened, providerTokens } = await inTransaction(auth.database.kysely, async tx => {
    const { providerTokens, ...proved } = await takeCode(tx, code, verifier)
    const opened = await startSession(tx, auth, { ...proved, visitor })
    if (opened.user.banned) throw new AuthError(403, 'user_banned', 'User is banned')
    return { opened, providerTokens }
  })
  return { ...(await sessionBody(auth, opened)), ...openTokens(auth, opened.user.id, providerTokens) }
}

function openTokens({ vault }: AuthServices, userId: string, sealed: SealedTokens | null) {
  if (!sealed) return {}
  const open = (value: Buffer) => vault.open(value, providerTokenContext(userId)).toString()
  return {
    provider_token: open(sealed.token),
    ...(sealed.refreshToken ? { provider_refresh_token: open(sealed.refreshToken) } : {}),
  }
}

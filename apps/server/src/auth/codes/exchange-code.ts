/** Exchanges the code of a PKCE link for a session. The code works once, and only with the verifier. */
import { inTransaction } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import type { Body } from '../body.ts'
import { bannedError } from '../banned.ts'
import { invalid } from '../errors.ts'
import { type LimitNeeds, takeToken } from '../limits.ts'
import { sessionBody } from '../sessions/session.ts'
import { type SessionNeeds, startSession } from '../sessions/start-session.ts'
import type { Tokens } from '../sessions/tokens.ts'
import type { Visitor } from '../visitor.ts'
import { providerTokenContext, type SealedTokens } from './pkce.ts'
import { takeCode } from './take-code.ts'

interface ExchangeNeeds extends LimitNeeds, SessionNeeds {
  readonly tokens: Tokens
}

export async function exchangeCode(needs: ExchangeNeeds, body: Body, visitor: Visitor) {
  await takeToken(needs, 'token', visitor.ip)
  const code = body.text('auth_code')
  const verifier = body.text('code_verifier')
  if (!code || !verifier)
    throw invalid('invalid request: both auth code and code verifier should be non-empty')
  const { opened, providerTokens } = await inTransaction(needs.database.kysely, async tx => {
    const { providerTokens, ...proved } = await takeCode(tx, code, verifier)
    const opened = await startSession(tx, needs, { ...proved, visitor })
    if (opened.user.banned) throw await bannedError(tx, opened.user.id)
    return { opened, providerTokens }
  })
  return { ...(await sessionBody(needs, opened)), ...openTokens(needs, opened.user.id, providerTokens) }
}

function openTokens({ vault }: { vault: Vault }, userId: string, sealed: SealedTokens | null) {
  if (!sealed) return {}
  const open = (value: Buffer) => vault.open(value, providerTokenContext(userId)).toString()
  return {
    provider_token: open(sealed.token),
    ...(sealed.refreshToken ? { provider_refresh_token: open(sealed.refreshToken) } : {}),
  }
}

/**
 * Sessions: a row that lives until somebody signs out, changes the password elsewhere or an old refresh token is played
 * back. Each call of this service checks it, so the end of a session is effective at once.
 */
import { newId } from '../../db/ids.ts'
import type { Vault } from '../../vault.ts'
import { presentUser, type UserRow } from '../queries.ts'
import type { Visitor } from '../visitor.ts'
import { encodeRefreshToken, refreshKeyOf } from './refresh-token.ts'
import type { AmrEntry, SessionClaims, Tokens } from './tokens.ts'

/** A session and the refresh token that its holder gets. */
export interface Grant extends SessionClaims {
  readonly refreshToken: string
}

/** A session that just began, and its user as the sign-in left them. */
export interface Opened {
  readonly user: UserRow
  readonly grant: Grant
}

export interface Opening {
  readonly userId: string
  /** How they proved themselves. */
  readonly method: string
  readonly visitor: Visitor
  readonly ssoProviderId?: string | null
  /** The password that they gave: wrong ones for its address are forgotten, and it must still be the user's. */
  readonly password?: { readonly key: string; readonly hash: string }
}

/** What a new session is made of; its row is the caller's to write. */
export function newSession({ method, ssoProviderId }: Opening): { id: string; amr: AmrEntry[] } {
  const timestamp = Math.floor(Date.now() / 1000)
  const provider = ssoProviderId ? { provider: ssoProviderId } : {}
  return { id: newId(), amr: [{ method, timestamp, ...provider }] }
}

export const newGrant = ({ vault }: { vault: Vault }, id: string, amr: AmrEntry[]): Grant => ({
  id,
  aal: 'aal1',
  amr,
  refreshToken: encodeRefreshToken(id, 0n, refreshKeyOf(vault, id)),
})

/** The token response: `user` as it is after the sign-in. */
export async function sessionBody({ tokens }: { tokens: Tokens }, { user, grant }: Opened) {
  const { token, lifeSeconds, expiresAt } = await tokens.sign(user, grant)
  return {
    access_token: token,
    token_type: 'bearer',
    expires_in: lifeSeconds,
    expires_at: expiresAt,
    refresh_token: grant.refreshToken,
    user: presentUser(user),
  }
}

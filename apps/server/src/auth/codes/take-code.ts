import { createHash, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { AuthError } from '../errors.ts'
import { hashOfCode, type SealedTokens } from './pkce.ts'

interface CodeRow {
  user_id: string
  code_challenge: string
  code_challenge_method: 's256' | 'plain'
  method: string
  provider_token_sealed: Buffer | null
  provider_refresh_token_sealed: Buffer | null
  sso_provider_id: string | null
  expired: boolean
}

export interface TakenCode {
  readonly userId: string
  readonly method: string
  readonly providerTokens: SealedTokens | null
  readonly ssoProviderId: string | null
}

/** Takes the code; a refusal undoes the caller's transaction, so a wrong verifier leaves it to the right one. */
export async function takeCode(tx: Tx, code: string, verifier: string): Promise<TakenCode> {
  const { rows } = await sql<CodeRow>`
    delete from auth_code where code_hash = ${hashOfCode(code)}
    returning user_id, code_challenge, code_challenge_method, method, provider_token_sealed, provider_refresh_token_sealed,
      sso_provider_id, expires_at < now() as expired`.execute(tx)
  const row = rows[0]
  if (!row) throw new AuthError(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found')
  if (row.expired)
    throw new AuthError(422, 'flow_state_expired', 'invalid flow state, flow state has expired')
  const proof =
    row.code_challenge_method === 'plain'
      ? verifier
      : createHash('sha256').update(verifier).digest('base64url')
  if (!isSame(proof, row.code_challenge)) {
    throw new AuthError(
      400,
      'bad_code_verifier',
      'code challenge does not match previously saved code verifier',
    )
  }
  const { provider_token_sealed: token, provider_refresh_token_sealed: refreshToken } = row
  return {
    userId: row.user_id,
    method: row.method,
    providerTokens: token && { token, refreshToken },
    ssoProviderId: row.sso_provider_id,
  }
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { type Challenge, hashOfCode, type SealedTokens } from './pkce.ts'

interface NewCode {
  readonly userId: string
  readonly challenge: Challenge
  readonly method: string
  readonly lifeSeconds: number
  readonly providerTokens?: SealedTokens | null
  readonly ssoProviderId?: string | null
}

export async function issueCode(tx: Tx, given: NewCode): Promise<string> {
  const code = randomUUID()
  await sql`
    insert into auth_code (code_hash, user_id, code_challenge, code_challenge_method, method, provider_token_sealed,
      provider_refresh_token_sealed, sso_provider_id, expires_at)
    values (${hashOfCode(code)}, ${given.userId}, ${given.challenge.challenge}, ${given.challenge.method}, ${given.method},
      ${given.providerTokens?.token ?? null}, ${given.providerTokens?.refreshToken ?? null}, ${given.ssoProviderId ?? null},
      now() + ${given.lifeSeconds} * interval '1 second')`.execute(tx)
  return code
}

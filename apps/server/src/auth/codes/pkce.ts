/**
 * Proof key for code exchange (RFC 7636): a link leads to a code that is worth nothing without the verifier, which never
 * left the browser that asked. Codes work once and for a few minutes from the click; only their hash is stored.
 */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { Body } from '../body.ts'
import { AuthError, invalid } from '../errors.ts'

export interface Challenge {
  readonly challenge: string
  readonly method: 's256' | 'plain'
}

const minLength = 43
const maxLength = 128

export function readChallenge(body: Pick<Body, 'text'>): Challenge | null {
  const challenge = body.text('code_challenge', 1024)
  const method = body.text('code_challenge_method', 16).toLowerCase()
  if (!challenge && !method) return null
  if (!challenge || !method) throw invalid('PKCE flow requires code_challenge_method and code_challenge')
  if (challenge.length < minLength || challenge.length > maxLength)
    throw invalid(`code challenge has to be between ${minLength} and ${maxLength} characters`)
  if (!/^[A-Za-z0-9._~-]+$/.test(challenge))
    throw invalid(
      'code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes',
    )
  if (method !== 's256' && method !== 'plain') throw invalid('code_challenge_method must be s256 or plain')
  return { challenge, method }
}

const hashOf = (code: string) => createHash('sha256').update(code).digest('hex')

/** What a provider let the user do there, sealed for them. */
export interface SealedTokens {
  readonly token: Buffer
  readonly refreshToken: Buffer | null
}

export const providerTokenContext = (userId: string): string => `provider-token:${userId}`

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
    values (${hashOf(code)}, ${given.userId}, ${given.challenge.challenge}, ${given.challenge.method}, ${given.method},
      ${given.providerTokens?.token ?? null}, ${given.providerTokens?.refreshToken ?? null}, ${given.ssoProviderId ?? null},
      now() + ${given.lifeSeconds} * interval '1 second')`.execute(tx)
  return code
}

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
    delete from auth_code where code_hash = ${hashOf(code)}
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

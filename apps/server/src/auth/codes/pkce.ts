/**
 * Proof key for code exchange (RFC 7636): a link leads to a code that is worth nothing without the verifier, which
 * never left the browser that asked. Codes work once and for a few minutes from the click; only their hash is stored.
 */
import { createHash } from 'node:crypto'
import type { Body } from '../body.ts'
import { invalid } from '../errors.ts'

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

export const hashOfCode = (code: string) => createHash('sha256').update(code).digest('hex')

/** What a provider let the user do there, sealed for them. */
export interface SealedTokens {
  readonly token: Buffer
  readonly refreshToken: Buffer | null
}

export const providerTokenContext = (userId: string): string => `provider-token:${userId}`

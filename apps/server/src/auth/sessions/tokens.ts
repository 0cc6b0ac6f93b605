/**
 * Access tokens: signed JWTs, of an hour by default, that anybody can verify with the published keys. They say who
 * somebody is; only the session's row says whether it still stands. A token is verified once and remembered until it
 * expires. Keys are read again each minute, and at once for a key id not seen before, so a rotation reaches every
 * process by itself.
 */
import { hash, type KeyObject, sign } from 'node:crypto'
import { isId } from '@ingot/contracts/operation'
import { errors, type JWK, jwtVerify } from 'jose'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import { AuthError } from '../errors.ts'
import { loadSigningKeys, type SigningKeys } from '../keys/signing-keys.ts'
import { audience, basePath } from '../wire.ts'

export type Aal = 'aal1' | 'aal2'

/** How a session was proved: one entry per method, newest first. */
export interface AmrEntry {
  readonly method: string
  /** Unix seconds. */
  readonly timestamp: number
  /** The connection of a single sign-on. */
  readonly provider?: string
  /** Of the second factor that was used. Kept in the session's row, not shown. */
  readonly factor_id?: string
}

export interface SessionClaims {
  readonly id: string
  readonly aal: Aal
  readonly amr: readonly AmrEntry[]
}

export interface TokenUser {
  readonly id: string
  readonly role: string
  readonly email: string | null
  readonly phone: string | null
  readonly app_metadata: Readonly<Record<string, unknown>>
  readonly user_metadata: Readonly<Record<string, unknown>>
  readonly is_anonymous: boolean
}

export interface Claims {
  readonly userId: string
  readonly sessionId: string
  readonly role: string
  /** Unix seconds. */
  readonly expiresAt: number
}

export interface Tokens {
  sign(
    user: TokenUser,
    session: SessionClaims,
  ): Promise<{ token: string; lifeSeconds: number; expiresAt: number }>
  /** Throws `bad_jwt` for anything this service did not sign or that has expired. */
  verify(token: string): Promise<Claims>
  jwks(): Promise<{ readonly keys: readonly JWK[] }>
}

export interface TokensOptions {
  readonly database: Database
  readonly vault: Vault
  readonly config: Pick<Config, 'publicUrl'>
  readonly lifeSeconds?: number
  /** Tokens remembered at most; the longest unused goes first. */
  readonly maxRemembered?: number
}

const hourSeconds = 3600
const keysFreshMs = 60_000
const unknownKeyRetryMs = 1_000
const rememberedByDefault = 10_000

export function createTokens({
  database,
  vault,
  config,
  lifeSeconds = hourSeconds,
  maxRemembered = rememberedByDefault,
}: TokensOptions): Tokens {
  let loaded: Promise<SigningKeys> | null = null
  let loadedAt = 0

  function keys(maxAgeMs: number): Promise<SigningKeys> {
    if (loaded && Date.now() - loadedAt < maxAgeMs) return loaded
    loadedAt = Date.now()
    const loading = loadSigningKeys(database, vault)
    loaded = loading
    loading.catch(() => {
      if (loaded === loading) loaded = null
    })
    return loading
  }

  async function publicKey(kid: string | undefined) {
    if (!kid) throw new errors.JWSInvalid('no key id')
    const known = (await keys(keysFreshMs)).publicKeys.get(kid)
    const key = known ?? (await keys(unknownKeyRetryMs)).publicKeys.get(kid)
    if (!key) throw new errors.JWKSNoMatchingKey()
    return key
  }

  return {
    async sign(user, session) {
      const { kid, privateKey } = await keys(keysFreshMs)
      const issuedAt = Math.floor(Date.now() / 1000)
      const expiresAt = issuedAt + lifeSeconds
      const token = signed(
        privateKey,
        { alg: 'ES256', kid, typ: 'JWT' },
        {
          ...userClaims(user),
          ...sessionClaims(session),
          iss: config.publicUrl + basePath,
          sub: user.id,
          aud: audience,
          iat: issuedAt,
          exp: expiresAt,
        },
      )
      return { token, lifeSeconds, expiresAt }
    },

    verify: remember(maxRemembered, async token => {
      const { payload } = await jwtVerify(token, header => publicKey(header.kid), {
        algorithms: ['ES256'],
        audience,
        requiredClaims: ['exp'],
      }).catch((error: unknown) => {
        throw toBadJwt(error)
      })
      const { sub, session_id, role, exp } = payload
      if (!sub) throw new AuthError(403, 'bad_jwt', 'invalid claim: missing sub claim')
      if (!isId(sub)) throw new AuthError(400, 'bad_jwt', 'invalid claim: sub claim must be a UUID')
      if (typeof session_id !== 'string' || !isId(session_id))
        throw new AuthError(403, 'bad_jwt', 'invalid claim: session_id claim must be a UUID')
      return { userId: sub, sessionId: session_id, role: String(role), expiresAt: exp! }
    }),

    async jwks() {
      return (await keys(keysFreshMs)).jwks
    },
  }
}

/** Signs here and now: making the signature takes less than handing it to another thread. */
function signed(key: KeyObject, ...parts: readonly [header: object, claims: object]): string {
  const text = parts.map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${bare(sign('sha256', Buffer.from(text), key)).toString('base64url')}`
}

/**
 * The r and s of a signature in 32 bytes each, as JWS wants them (RFC 7518 3.4), out of their DER. Having them from
 * `sign` doubles what that takes.
 */
function bare(der: Buffer): Buffer {
  const raw = Buffer.alloc(64)
  let at = 2
  for (const end of [32, 64]) {
    const number = der.subarray(at + 2, at + 2 + der[at + 1]!)
    at += 2 + number.length
    const digits = number.subarray(Math.max(0, number.length - 32))
    raw.set(digits, end - digits.length)
  }
  return raw
}

/**
 * Tokens are keyed by hash, so that a dump of this process's memory holds fewer tokens. A Map keeps the order of
 * insertion.
 */
function remember(max: number, verify: Tokens['verify']): Tokens['verify'] {
  const remembered = new Map<string, Claims>()
  return async token => {
    const key = hash('sha256', token, 'base64')
    let claims = remembered.get(key)
    remembered.delete(key)
    if (!claims || claims.expiresAt * 1000 <= Date.now()) claims = await verify(token)
    remembered.set(key, claims)
    if (remembered.size > max) remembered.delete(remembered.keys().next().value!)
    return claims
  }
}

const userClaims = (user: TokenUser) => ({
  email: user.email ?? '',
  phone: user.phone ?? '',
  app_metadata: user.app_metadata,
  user_metadata: user.user_metadata,
  role: user.role,
  is_anonymous: user.is_anonymous,
})

const sessionClaims = ({ id, aal, amr }: SessionClaims) => ({
  aal,
  amr: amr.map(({ factor_id: _, ...shown }) => shown),
  session_id: id,
})

/** What is wrong with the token; a database that does not answer is not the token's fault. */
function toBadJwt(error: unknown): unknown {
  if (!(error instanceof errors.JOSEError)) return error
  const why =
    error instanceof errors.JWTExpired
      ? 'token has invalid claims: token is expired'
      : error instanceof errors.JWTClaimValidationFailed
        ? `token has invalid claims: ${error.claim}`
        : error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid
          ? 'token is malformed'
          : 'token signature is invalid'
  return new AuthError(403, 'bad_jwt', `invalid JWT: unable to parse or verify signature, ${why}`)
}

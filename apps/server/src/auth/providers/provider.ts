/** What this service asks of a provider that vouches for users, and what it keeps of the answer. */
import { AuthError } from '../errors.ts'

export interface Departure {
  readonly state: string
  /** Of our proof key (PKCE), by S256. */
  readonly challenge: string
  readonly nonce: string
  readonly redirectUri: string
  /** Beyond those that a sign-in needs. */
  readonly scopes: readonly string[]
  /** What the caller hands on to the provider. */
  readonly extra: Readonly<Record<string, string>>
}

export interface Arrival {
  /** Our callback's address with the provider's answer in its query. */
  readonly url: URL
  readonly state: string
  readonly verifier: string
  readonly nonce: string
}

export interface ProviderEmail {
  /** Lower case. */
  readonly email: string
  readonly verified: boolean
  readonly primary: boolean
}

export interface Person {
  /** The provider's name for them: it never changes and is never given to another. */
  readonly subject: string
  readonly emails: readonly ProviderEmail[]
  readonly data: Readonly<Record<string, unknown>>
}

export interface Visit {
  readonly person: Person
  readonly token: string
  readonly refreshToken: string | null
}

export interface Provider {
  readonly id: string
  leave(departure: Departure): Promise<URL>
  /** Throws whatever the provider's answer lacks; nothing of it is for the browser. */
  arrive(arrival: Arrival): Promise<Visit>
  /** Null when the provider has no ID tokens. Throws when the token is not one of the provider's for this service. */
  readonly readIdToken: ((idToken: string, accessToken: string) => Promise<IdToken>) | null
}

export interface IdToken {
  readonly person: Person
  readonly audiences: readonly string[]
  readonly nonce: string
}

/** How long a provider is waited for; below the time that a call of ours may take. */
export const providerTimeoutSeconds = 4

const maxText = 300
const maxSubject = 255

export interface Claims {
  readonly issuer: string
  readonly subject: string
  readonly email: string | null
  readonly emailVerified: boolean
  readonly name: string | null
  readonly givenName: string | null
  readonly familyName: string | null
  readonly userName: string | null
  readonly picture: string | null
}

/** The claims under the names that clients of this service know. */
export function describe(claims: Claims): Record<string, unknown> {
  const known = {
    iss: claims.issuer,
    sub: claims.subject,
    provider_id: claims.subject,
    name: claims.name,
    full_name: claims.name,
    first_name: claims.givenName,
    last_name: claims.familyName,
    preferred_username: claims.userName,
    user_name: claims.userName,
    picture: claims.picture,
    avatar_url: claims.picture,
    email: claims.email,
    email_verified: claims.emailVerified,
    phone_verified: false,
  }
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null))
}

/** A provider's text, as `jsonb` can store it; null when there is none. */
export function textOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  return value.toWellFormed().replaceAll('\u0000', '').slice(0, maxText) || null
}

export function subjectOf(value: unknown): string {
  const subject = typeof value === 'number' ? String(value) : textOf(value)
  if (!subject || subject.length > maxSubject || subject !== String(value))
    throw new AuthError(422, 'validation_failed', 'The provider did not say who the user is')
  return subject
}

/**
 * Codes: mailed links, and short codes that a person types. A link's token is the SHA-224 of address and code (`pkce_`
 * before it when the browser is to exchange the outcome itself); the same code can be typed together with the address.
 * The database holds only the token's SHA-256, compared in constant time. A newer mail replaces the older; after too
 * many wrong guesses a code is worth nothing.
 */
import { createHash, randomInt } from 'node:crypto'
import type { Vault } from '../../vault.ts'
import type { AuthSettings } from '../settings.ts'

export type OtpKind =
  | 'signup'
  | 'recovery'
  | 'magiclink'
  | 'invite'
  | 'email_change_current'
  | 'email_change_new'

/** Codes of a few digits, sent without a link. They lie sealed, since their hash could be tried out. */
export type TypedKind = 'sms' | 'phone_change' | 'reauthentication'

/** What links and clients call a kind. */
export type LinkType = 'signup' | 'recovery' | 'magiclink' | 'invite' | 'email_change'

/** Kinds that a verification of a type accepts: a sign-up may answer an invitation, a magic link a recovery. */
const kindsOf: Readonly<Record<LinkType | 'email', readonly OtpKind[]>> = {
  signup: ['signup', 'invite'],
  invite: ['signup', 'invite'],
  recovery: ['recovery', 'magiclink'],
  magiclink: ['recovery', 'magiclink'],
  email: ['signup', 'invite', 'recovery', 'magiclink'],
  email_change: ['email_change_current', 'email_change_new'],
}

export const acceptedKinds = (type: string): readonly OtpKind[] | null =>
  Object.hasOwn(kindsOf, type) ? kindsOf[type as LinkType] : null

export const pkcePrefix = 'pkce_'
export const isPkceToken = (token: string): boolean => token.startsWith(pkcePrefix)

export const makeCode = (digits: number): string =>
  Array.from({ length: digits }, () => randomInt(10)).join('')

export const tokenOf = (address: string, code: string): string =>
  createHash('sha224')
    .update(address + code)
    .digest('hex')
export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** A code to send; `keepCode` makes it count. */
export const makeTypedCode = ({ settings }: { settings: AuthSettings }): string =>
  makeCode(settings.typedDigits)

/** The same for a phone. The operator's test numbers have one that always fits. */
export const typedCodeFor = (needs: { settings: AuthSettings }, phone: string): string =>
  needs.settings.testOtps.get(phone) ?? makeTypedCode(needs)

export const typedContext = (userId: string, kind: TypedKind) => `otp:${kind}:${userId}`

/** What codes that lie sealed are kept and compared with. */
export interface OtpNeeds {
  readonly settings: AuthSettings
  readonly vault: Vault
}

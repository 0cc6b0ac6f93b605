/** Second factors in words. */
import type { Factor } from '@supabase/auth-js'

/** The service says a phone's number beside what the client's type knows. */
export type KnownFactor = Factor & { readonly phone?: string }

/** The quickest first. */
const kinds = ['webauthn', 'totp', 'phone', 'recovery_code'] as const
export type FactorKind = (typeof kinds)[number]

export const kindOf = ({ factor_type }: Pick<Factor, 'factor_type'>): FactorKind | null =>
  kinds.find(kind => kind === factor_type) ?? null

/** `+•• 23`: enough to know one's own phone by. */
export const maskedPhone = (phone: string | undefined): string => `•••${(phone ?? '').slice(-2)}`

type Named = Pick<Factor, 'factor_type' | 'friendly_name'> & { readonly phone?: string }

export function factorName(factor: Named): string {
  if (factor.factor_type === 'recovery_code') return 'Recovery codes'
  if (factor.friendly_name) return factor.friendly_name
  if (factor.factor_type === 'phone') return `Phone ${maskedPhone(factor.phone)}`
  return factor.factor_type === 'webauthn' ? 'Security key' : 'Authenticator app'
}

/** A name no other factor has: the service refuses a second one, also when the first was never confirmed. */
export function freeName(base: string, taken: readonly (string | undefined)[]): string {
  if (!taken.includes(base)) return base
  let number = 2
  while (taken.includes(`${base} ${number}`)) number++
  return `${base} ${number}`
}

/** What can be used at a sign-in, the quickest first. */
export const challengeable = <T extends Pick<Factor, 'factor_type' | 'status'>>(
  factors: readonly T[] = [],
): T[] =>
  factors
    .filter(factor => factor.status === 'verified' && kindOf(factor) !== null)
    .toSorted((a, b) => kinds.indexOf(kindOf(a)!) - kinds.indexOf(kindOf(b)!))

/** What people put between the digits of a code. */
export const plainCode = (text: string): string => text.replaceAll(/[\s-]/g, '')

/** `9b3chpmtc6qht8dg` → `9b3c-hpmt-c6qh-t8dg`, easier to copy by hand. */
export const inGroups = (code: string): string =>
  /^[a-z\d]{8,}$/i.test(code) ? code.replaceAll(/(.{4})(?=.)/g, '$1-') : code

/** `+1 (555) 010-2030` → `+15550102030`; null for what is no number with its country. */
export function plainPhone(text: string): string | null {
  const digits = text.replaceAll(/[\s().-]/g, '')
  return /^\+[1-9]\d{6,14}$/.test(digits) ? digits : null
}

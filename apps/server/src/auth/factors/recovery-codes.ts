/**
 * Ten codes to print, each good for one sign-in when the other factor is lost. They are shown once and stored as
 * hashes. Making or removing them needs another verified factor, shown in this session.
 */
import { createHash } from 'node:crypto'
import { AuthError } from '../errors.ts'
import type { SessionClaims } from '../sessions/tokens.ts'
import type { AuthSettings } from '../settings.ts'

export const recoveryType = 'recovery_code'
export const totalCodes = 10

/** As a person may type it: in capitals, in groups. */
export const hashOfCode = (typed: string): string =>
  createHash('sha256').update(typed.toLowerCase().replaceAll(/[\s-]/g, '')).digest('hex')

export function assertCodesOffered({ settings }: { settings: AuthSettings }): void {
  if (settings.factors.recoveryCodes) return
  throw new AuthError(
    422,
    'mfa_recovery_codes_enroll_not_enabled',
    'MFA enroll is disabled for recovery codes',
  )
}

export function assertAal2({ aal }: SessionClaims, doing: string): void {
  if (aal !== 'aal2') throw new AuthError(403, 'insufficient_aal', `AAL2 required to ${doing} recovery codes`)
}

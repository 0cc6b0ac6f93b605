/**
 * Takes a second factor away. Recovery codes cannot stand alone, so they go with the last one; but not for somebody
 * whose session rests on such a code: it would fall with them, and the factor, still there, would lock its owner out.
 */
import { codeFailure, type Refusal, unexplained } from '../../session/auth-failure.ts'
import { auth } from '../../session/auth.tsx'
import type { KnownFactor } from '../../session/factor-text.ts'
import { claimsOf } from '../../session/second-factor.ts'

const restsOnFactor = new Set(['totp', 'mfa/phone', 'mfa/webauthn'])

/** Null when it is gone, else why not. */
export async function removeFactor(factor: KnownFactor): Promise<string | null> {
  const refused = await tryRemove(factor.id).catch(() => unexplained)
  if (refused) return typeof refused === 'string' ? refused : codeFailure(refused)
  // The session may have fallen a level with its factor: the new one knows.
  await auth.refreshSession()
  return null
}

async function tryRemove(factorId: string): Promise<Refusal | string | null> {
  const first = await auth.mfa.unenroll({ factorId })
  if (first.error?.code !== 'mfa_recovery_codes_sole_factor') return first.error
  const { data } = await auth.getSession()
  const { methods } = claimsOf(data.session?.access_token ?? '')
  if (!methods.some(method => restsOnFactor.has(method)))
    return 'You came in with a recovery code. Add another factor first; then this one can go.'
  const codes = await auth.mfa.recoveryCodes.unenroll()
  if (codes.error) return codes.error
  return (await auth.mfa.unenroll({ factorId })).error
}

/** Signs the session up to aal2 with a recovery code, once per code. Guesses are counted as for any other factor. */
import { sql } from 'kysely'
import { inTransaction, type Tx } from '../../db/database.ts'
import { AuthError, invalid } from '../errors.ts'
import { takeToken } from '../limits.ts'
import { findUserById } from '../queries.ts'
import type { AuthServices } from '../services.ts'
import { sessionBody } from '../sessions/session.ts'
import type { FactorCall } from './call.ts'
import { noteWrongCode, refuseWhileLocked } from './lockout.ts'
import { findRecoveryFactor, lockOwner } from './queries.ts'
import { hashOfCode } from './recovery-codes.ts'
import { endWeakerSessions, stepUp } from './step-up.ts'

export async function verifyRecoveryCode(auth: AuthServices, call: FactorCall) {
  if (!auth.settings.factors.recoveryCodes) {
    throw new AuthError(
      422,
      'mfa_recovery_codes_verify_not_enabled',
      'MFA verification is disabled for recovery codes',
    )
  }
  await takeToken(auth, 'mfa_verify', call.visitor.ip)
  if (!call.body.text('code', 64).trim()) throw invalid('Code needs to be non-empty')
  const outcome = await inTransaction(auth.database.kysely, tx => verify(tx, auth, call))
  // Returned, not thrown: the count of wrong codes must be kept.
  if (outcome instanceof AuthError) throw outcome
  return sessionBody(auth, outcome)
}

async function verify(tx: Tx, auth: AuthServices, { user, session, body }: FactorCall) {
  await lockOwner(tx, user.id)
  const factor = await findRecoveryFactor(tx, user.id)
  if (!factor) return wrong()
  refuseWhileLocked(factor, 'mfa_recovery_codes_locked')
  const { rows } = await sql`
    update auth_recovery_code set used_at = now()
    where factor_id = ${factor.id} and code_hash = ${hashOfCode(body.text('code', 64))} and used_at is null
    returning 1`.execute(tx)
  if (!rows.length) {
    await noteWrongCode(tx, auth, factor)
    return wrong()
  }
  await sql`
    update auth_factor set failures = 0, locked_until = null, updated_at = now() where id = ${factor.id}`.execute(
    tx,
  )
  const grant = await stepUp(tx, auth, session, 'mfa/recovery_code', factor.id)
  await endWeakerSessions(tx, user.id)
  return { user: (await findUserById(tx, user.id))!, grant }
}

const wrong = () => new AuthError(422, 'mfa_verification_failed', 'Invalid recovery code entered')

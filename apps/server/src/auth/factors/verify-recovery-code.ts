/** Raises the session to aal2 with a recovery code, once per code. Guesses are counted as for any other factor. */
import { sql } from 'kysely'
import { inTransaction, type Tx } from '../../db/database.ts'
import type { Vault } from '../../vault.ts'
import { AuthError, invalid } from '../errors.ts'
import { type LimitNeeds, takeToken } from '../limits.ts'
import { findUserById } from '../queries.ts'
import { sessionBody } from '../sessions/session.ts'
import type { Tokens } from '../sessions/tokens.ts'
import type { AuthSettings } from '../settings.ts'
import type { FactorCall } from './call.ts'
import { endWeakerSessions } from './end-weaker-sessions.ts'
import { countWrongFactorCode, refuseWhileLocked } from './factor-lockout.ts'
import { findRecoveryFactor, lockOwner } from './queries.ts'
import { raiseSession } from './raise-session.ts'
import { hashOfCode } from './recovery-codes.ts'

export interface VerifyCodeNeeds extends LimitNeeds {
  readonly vault: Vault
  readonly tokens: Tokens
}

export async function verifyRecoveryCode(needs: VerifyCodeNeeds, call: FactorCall) {
  if (!needs.settings.factors.recoveryCodes) {
    throw new AuthError(
      422,
      'mfa_recovery_codes_verify_not_enabled',
      'MFA verification is disabled for recovery codes',
    )
  }
  await takeToken(needs, 'mfa_verify', call.visitor.ip)
  if (!call.body.text('code', 64).trim()) throw invalid('Code needs to be non-empty')
  const outcome = await inTransaction(needs.database.kysely, tx => verify(tx, needs, call))
  // Returned, not thrown: the count of wrong codes must be kept.
  if (outcome instanceof AuthError) throw outcome
  return sessionBody(needs, outcome)
}

async function verify(
  tx: Tx,
  needs: { vault: Vault; settings: AuthSettings },
  { user, session, body }: FactorCall,
) {
  await lockOwner(tx, user.id)
  const factor = await findRecoveryFactor(tx, user.id)
  if (!factor) return wrong()
  refuseWhileLocked(factor, 'mfa_recovery_codes_locked')
  const { rows } = await sql`
    update auth_recovery_code set used_at = now()
    where factor_id = ${factor.id} and code_hash = ${hashOfCode(body.text('code', 64))} and used_at is null
    returning 1`.execute(tx)
  if (!rows.length) {
    await countWrongFactorCode(tx, needs, factor)
    return wrong()
  }
  await sql`
    update auth_factor set failures = 0, locked_until = null, updated_at = now() where id = ${factor.id}`.execute(
    tx,
  )
  const grant = await raiseSession(tx, needs, session, 'mfa/recovery_code', factor.id)
  await endWeakerSessions(tx, user.id)
  return { user: (await findUserById(tx, user.id))!, grant }
}

const wrong = () => new AuthError(422, 'mfa_verification_failed', 'Invalid recovery code entered')

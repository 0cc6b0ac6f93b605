/** Removes a factor. Sessions that were raised by it fall back, and recovery codes never stay behind alone. */
import { type Database, inTransaction } from '../../db/database.ts'
import { AuthError } from '../errors.ts'
import type { AlertNeeds } from '../letters/send-alert.ts'
import type { UserRow } from '../queries.ts'
import type { FactorCall } from './call.ts'
import { codesLeftAlone, dropFactor } from './drop-factor.ts'
import { type FactorRow, findFactor, lockOwner } from './queries.ts'

export interface RemoveNeeds extends AlertNeeds {
  readonly database: Database
  readonly wakeMail: () => void
}

export async function removeFactor(needs: RemoveNeeds, { user, session, factorId }: FactorCall) {
  const removed = await inTransaction(needs.database.kysely, async tx => {
    const owner = await lockOwner(tx, user.id)
    const factor = await findFactor(tx, user.id, factorId)
    if (factor.factor_type === 'recovery_code') {
      throw new AuthError(
        422,
        'validation_failed',
        'Recovery codes cannot be unenrolled with this endpoint, use DELETE /factors/recovery-codes',
      )
    }
    if (factor.status === 'verified') {
      if (session.aal !== 'aal2')
        throw new AuthError(422, 'insufficient_aal', 'AAL2 required to unenroll verified factor')
      assertNotLast(owner, factor)
    }
    await dropFactor(tx, needs, owner, factor)
    return factor
  })
  needs.wakeMail()
  return { id: removed.id }
}

function assertNotLast(owner: UserRow, removed: FactorRow): void {
  if (!codesLeftAlone(owner, removed)) return
  throw new AuthError(
    422,
    'mfa_recovery_codes_sole_factor',
    'Recovery codes cannot be the only verified factor. Please enroll another factor before unenrolling this one or delete your recovery codes.',
  )
}

/** Removes a factor. Sessions that were raised by it fall back, and recovery codes never stay behind alone. */
import { sql } from 'kysely'
import { inTransaction, type Tx } from '../../db/database.ts'
import { AuthError } from '../errors.ts'
import type { FactorView, UserRow } from '../queries.ts'
import type { AuthServices } from '../services.ts'
import type { FactorCall } from './call.ts'
import { noteRemoved } from './notices.ts'
import { type FactorRow, findFactor, lockOwner } from './queries.ts'
import { stepDown } from './step-up.ts'

export async function removeFactor(auth: AuthServices, { user, session, factorId }: FactorCall) {
  const removed = await inTransaction(auth.database.kysely, async tx => {
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
    await dropFactor(tx, auth, owner, factor)
    return factor
  })
  auth.wakeMail()
  return { id: removed.id }
}

/** The recovery codes that would be left with no verified factor beside them. */
function codesLeftAlone({ factors }: UserRow, removed: FactorRow): FactorView | undefined {
  const left = factors.filter(({ id, status }) => id !== removed.id && status === 'verified')
  return left.every(factor => factor.factor_type === 'recovery_code') ? left[0] : undefined
}

function assertNotLast(owner: UserRow, removed: FactorRow): void {
  if (!codesLeftAlone(owner, removed)) return
  throw new AuthError(
    422,
    'mfa_recovery_codes_sole_factor',
    'Recovery codes cannot be the only verified factor. Please enroll another factor before unenrolling this one or delete your recovery codes.',
  )
}

/** Whoever may: this room's own calls and an administrator's. The caller holds the user's lock. */
export async function dropFactor(
  tx: Tx,
  auth: AuthServices,
  owner: UserRow,
  factor: FactorRow,
): Promise<void> {
  for (const { id } of [factor, codesLeftAlone(owner, factor)].filter(each => each !== undefined)) {
    await sql`delete from auth_factor where id = ${id}`.execute(tx)
    await stepDown(tx, owner.id, id)
  }
  if (factor.status === 'verified') await noteRemoved(tx, auth, owner, factor)
}

/** Makes a user's recovery codes. They need another verified factor beside them. */
import { type Database, inTransaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { AuthError } from '../errors.ts'
import type { AlertNeeds } from '../letters/send-alert.ts'
import type { AuthSettings } from '../settings.ts'
import { alertFactorAdded } from './alerts.ts'
import { type FactorCall, readName } from './call.ts'
import { issueRecoveryCodes } from './issue-recovery-codes.ts'
import { makeRoom } from './make-room.ts'
import { findRecoveryFactor, lockOwner } from './queries.ts'
import { assertAal2, assertCodesOffered, recoveryType, totalCodes } from './recovery-codes.ts'

export interface MakeCodesNeeds extends AlertNeeds {
  readonly database: Database
  readonly settings: AuthSettings
  readonly wakeMail: () => void
}

const defaultName = 'Recovery codes'

export async function makeRecoveryCodes(needs: MakeCodesNeeds, { user, session, body }: FactorCall) {
  assertCodesOffered(needs)
  const name = readName(body) || defaultName
  assertAal2(session, 'generate')
  const id = newId()
  const codes = await inTransaction(needs.database.kysely, async tx => {
    await lockOwner(tx, user.id)
    if (await findRecoveryFactor(tx, user.id)) {
      throw new AuthError(
        422,
        'mfa_verified_factor_exists',
        'Recovery codes are already enrolled for this user, use regenerate to rotate them',
      )
    }
    const owner = await makeRoom(tx, needs, user.id, session, name)
    if (!owner.factors.some(factor => factor.status === 'verified')) {
      throw new AuthError(
        422,
        'mfa_recovery_codes_sole_factor',
        'At least one other verified factor is required to generate recovery codes',
      )
    }
    await tx
      .insertInto('auth_factor')
      .values({ id, user_id: user.id, factor_type: recoveryType, status: 'verified', friendly_name: name })
      .execute()
    await alertFactorAdded(tx, needs, owner, { factor_type: recoveryType, friendly_name: name, phone: null })
    return issueRecoveryCodes(tx, id)
  })
  needs.wakeMail()
  return { id, type: recoveryType, friendly_name: name, total: totalCodes, codes }
}

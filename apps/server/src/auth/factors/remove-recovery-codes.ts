/** Removes a user's recovery codes. */
import { inTransaction } from '../../db/database.ts'
import type { FactorCall } from './call.ts'
import { dropFactor } from './drop-factor.ts'
import { lockOwner, lockRecoveryFactor } from './queries.ts'
import { assertAal2 } from './recovery-codes.ts'
import type { RemoveNeeds } from './remove-factor.ts'

export async function removeRecoveryCodes(needs: RemoveNeeds, { user, session }: FactorCall) {
  assertAal2(session, 'delete')
  const id = await inTransaction(needs.database.kysely, async tx => {
    const owner = await lockOwner(tx, user.id)
    const factor = await lockRecoveryFactor(tx, user.id)
    await dropFactor(tx, needs, owner, factor)
    return factor.id
  })
  needs.wakeMail()
  return { id }
}

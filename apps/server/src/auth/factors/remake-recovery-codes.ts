/** Replaces a user's recovery codes, used and unused ones alike. */
import { sql } from 'kysely'
import { type Database, inTransaction } from '../../db/database.ts'
import type { AuthSettings } from '../settings.ts'
import type { FactorCall } from './call.ts'
import { issueRecoveryCodes } from './issue-recovery-codes.ts'
import { lockRecoveryFactor } from './queries.ts'
import { assertAal2, assertCodesOffered, recoveryType, totalCodes } from './recovery-codes.ts'

export async function remakeRecoveryCodes(
  needs: { database: Database; settings: AuthSettings },
  { user, session }: FactorCall,
) {
  assertCodesOffered(needs)
  assertAal2(session, 'regenerate')
  return inTransaction(needs.database.kysely, async tx => {
    const { id, friendly_name } = await lockRecoveryFactor(tx, user.id)
    await sql`
      update auth_factor set failures = 0, locked_until = null, updated_at = now() where id = ${id}`.execute(
      tx,
    )
    return {
      id,
      type: recoveryType,
      friendly_name,
      total: totalCodes,
      codes: await issueRecoveryCodes(tx, id),
    }
  })
}

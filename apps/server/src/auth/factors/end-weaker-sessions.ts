import type { Tx } from '../../db/database.ts'

/** Ends sessions that have not shown the second factor: they may be somebody's who knows the password alone. */
export async function endWeakerSessions(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('auth_session').where('user_id', '=', userId).where('aal', '=', 'aal1').execute()
}

import type { accounts } from '@ingot/contracts/accounts'
import type { Parsed } from '@ingot/contracts/operation'
import type { Tx } from '../db/database.ts'

export async function updateProfile(
  tx: Tx,
  userId: string,
  changes: Parsed<typeof accounts.update>,
): Promise<void> {
  if (!Object.keys(changes).length) return
  await tx.updateTable('profiles').set(changes).where('user_id', '=', userId).execute()
}

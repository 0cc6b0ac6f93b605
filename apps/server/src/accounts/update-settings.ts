import type { UserSettings } from '@ingot/contracts/accounts'
import type { Tx } from '../db/database.ts'
import { settingNames } from './queries.ts'

/** The first change makes the row, with the table's own defaults. */
export async function updateSettings(
  tx: Tx,
  userId: string,
  changes: Partial<UserSettings>,
): Promise<UserSettings> {
  return tx
    .insertInto('user_settings')
    .values({ user_id: userId, ...changes })
    .onConflict(conflict =>
      conflict.column('user_id').doUpdateSet({ ...changes, updated_at: new Date().toISOString() }),
    )
    .returning(settingNames)
    .executeTakeFirstOrThrow()
}

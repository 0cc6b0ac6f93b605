/** Preferences of a user. Without a row the defaults stand, which are the table's own; the first change makes it. */
import { defaultUserSettings, type UserSettings } from '@ingot/contracts/accounts'
import type { Db, Tx } from '../db/database.ts'

const names = Object.keys(defaultUserSettings) as (keyof UserSettings)[]

export async function getSettings(db: Db | Tx, userId: string): Promise<UserSettings> {
  const row = await db
    .selectFrom('user_settings')
    .select(names)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row ?? defaultUserSettings
}

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
    .returning(names)
    .executeTakeFirstOrThrow()
}

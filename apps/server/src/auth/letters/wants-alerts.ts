/**
 * Whether a user wants alerts about sign-ins. Changes of the account itself are told in any case: whoever takes an
 * account over could switch the setting off first.
 */
import type { Db, Tx } from '../../db/database.ts'

export async function wantsSecurityAlerts(tx: Tx | Db, userId: string): Promise<boolean> {
  const chosen = await tx
    .selectFrom('user_settings')
    .select('security_alerts')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return chosen?.security_alerts ?? true
}

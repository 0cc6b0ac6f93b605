/**
 * Whether a user wants letters about sign-ins. What changes the account itself is told in any case: who takes an account
 * over could switch it off first.
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

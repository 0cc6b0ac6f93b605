import type { Tx } from '../../db/database.ts'

/** Older mails are worth nothing after a confirmation or a new password. */
export async function dropOtps(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('auth_otp').where('user_id', '=', userId).execute()
}

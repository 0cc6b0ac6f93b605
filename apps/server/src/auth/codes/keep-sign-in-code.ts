import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { keepCode } from './keep-code.ts'
import type { OtpNeeds } from './otp.ts'
import type { Sets } from './sets.ts'

/** Keeps a code that signs in the user of a phone, and confirms it. */
export async function keepSignInCode(
  tx: Tx,
  needs: OtpNeeds,
  userId: string,
  code: string,
  sets: Sets = {},
): Promise<void> {
  await keepCode(tx, needs, userId, 'sms', code, needs.settings.smsLifeSeconds, sets)
  await sql`update auth_user set confirmation_sent_at = now(), updated_at = now() where id = ${userId}`.execute(
    tx,
  )
}

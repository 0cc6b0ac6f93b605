import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { keepCode } from './keep-code.ts'
import type { OtpNeeds } from './otp.ts'
import type { Sets } from './sets.ts'

/** Keeps a code that confirms a phone that the user asked for; the old one stays until then. */
export async function keepNewPhone(
  tx: Tx,
  needs: OtpNeeds,
  userId: string,
  phone: string,
  code: string,
  sets: Sets = {},
): Promise<void> {
  await keepCode(tx, needs, userId, 'phone_change', code, needs.settings.smsLifeSeconds, sets)
  await sql`
    update auth_user set new_phone = ${phone}, phone_change_sent_at = now(), updated_at = now()
    where id = ${userId}`.execute(tx)
}

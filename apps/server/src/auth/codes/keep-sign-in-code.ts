import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { UserRow } from '../queries.ts'
import { keepCode } from './keep-code.ts'
import type { OtpNeeds } from './otp.ts'

/** Keeps a code that signs in the user of a phone, and confirms it. */
export async function keepSignInCode(tx: Tx, needs: OtpNeeds, user: UserRow, code: string): Promise<void> {
  await keepCode(tx, needs, user.id, 'sms', code)
  await sql`update auth_user set confirmation_sent_at = now(), updated_at = now() where id = ${user.id}`.execute(
    tx,
  )
}

import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { phoneExists } from '../errors.ts'
import { phoneChanged } from '../letters/alerts.ts'
import { type AlertNeeds, sendAlert } from '../letters/send-alert.ts'
import { isPhoneTaken, type UserRow } from '../queries.ts'
import { dropOtps } from './drop-otps.ts'
import { keepIdentity } from './keep-identity.ts'

/** Lets the phone that the user asked for take effect. */
export async function applyNewPhone(tx: Tx, needs: AlertNeeds, user: UserRow, phone: string): Promise<void> {
  if (await isPhoneTaken(tx, phone, user.id)) throw phoneExists()
  const known = { phone, phone_verified: true }
  await sql`
    update auth_user set phone = ${phone}, new_phone = null, phone_confirmed_at = now(), is_anonymous = false,
      user_metadata = user_metadata || ${JSON.stringify(known)}::jsonb, updated_at = now()
    where id = ${user.id}`.execute(tx)
  await keepIdentity(tx, user.id, 'phone', known)
  // Before the first proof the links that are open may be the owner's; a proof ends them by itself.
  if (user.is_proved) await dropOtps(tx, user.id)
  await sendAlert(tx, needs, user.email_confirmed_at && user.email, alert => phoneChanged(alert, phone))
}

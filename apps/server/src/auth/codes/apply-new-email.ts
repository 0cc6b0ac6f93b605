import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { emailExists } from '../errors.ts'
import { emailChanged } from '../letters/alerts.ts'
import { type AlertNeeds, sendAlert } from '../letters/send-alert.ts'
import { isEmailTaken, type UserRow } from '../queries.ts'
import { dropOtps } from './drop-otps.ts'
import { keepIdentity } from './keep-identity.ts'

/**
 * Notes that one of the two addresses agreed. The change happens when no other link of it is open any more, expired
 * ones included: so where two were sent, both have to be opened. Returns whether it happened.
 */
export async function applyNewEmail(
  tx: Tx,
  needs: AlertNeeds,
  user: UserRow,
  kind: 'email_change_current' | 'email_change_new',
): Promise<boolean> {
  await tx.deleteFrom('auth_otp').where('user_id', '=', user.id).where('kind', '=', kind).execute()
  const open = await tx
    .selectFrom('auth_otp')
    .select('kind')
    .where('user_id', '=', user.id)
    .where('kind', 'in', ['email_change_current', 'email_change_new'])
    .executeTakeFirst()
  if (open) return false
  const email = user.new_email!
  if (await isEmailTaken(tx, email, user.id)) throw emailExists()
  const known = JSON.stringify({ email, email_verified: true })
  await sql`
    update auth_user set email = ${email}, new_email = null, email_confirmed_at = coalesce(email_confirmed_at, now()),
      is_anonymous = false,
      user_metadata = user_metadata || ${known}::jsonb, updated_at = now()
    where id = ${user.id}`.execute(tx)
  await keepIdentity(tx, user.id, 'email', { email, email_verified: true })
  await dropOtps(tx, user.id)
  await sendAlert(tx, needs, user.email_confirmed_at && user.email, alert => emailChanged(alert, email))
  return true
}

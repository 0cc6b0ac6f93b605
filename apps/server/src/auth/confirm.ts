/** What a redeemed link proves about an address, written to the user and their e-mail identity. */
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { AuthError } from './errors.ts'
import { dropOtps } from './otp.ts'
import { isEmailTaken, type UserRow } from './queries.ts'

const verified = JSON.stringify({ email_verified: true })

/** Nothing changes for an address that was confirmed before. */
export async function confirmEmail(tx: Tx, user: UserRow): Promise<void> {
  if (user.email_confirmed_at) return
  await sql`
    update auth_user set email_confirmed_at = now(), user_metadata = user_metadata || ${verified}::jsonb, updated_at = now()
    where id = ${user.id}`.execute(tx)
  await sql`
    update auth_identity set identity_data = identity_data || ${verified}::jsonb, updated_at = now()
    where user_id = ${user.id} and provider = 'email'`.execute(tx)
}

/**
 * One address agreed. The change happens when no other link of it is open any more, expired ones included: so where two
 * were sent, both have to be opened. Returns whether it happened.
 */
export async function applyNewEmail(
  tx: Tx,
  user: UserRow,
  kind: 'email_change_current' | 'email_change_new',
): Promise<boolean> {
  await sql`delete from auth_otp where user_id = ${user.id} and kind = ${kind}`.execute(tx)
  const open = await sql`
    select 1 from auth_otp where user_id = ${user.id} and kind in ('email_change_current', 'email_change_new')`.execute(
    tx,
  )
  if (open.rows.length > 0) return false
  const email = user.new_email!
  if (await isEmailTaken(tx, email, user.id)) throw emailExists()
  const known = JSON.stringify({ email, email_verified: true })
  await sql`
    update auth_user set email = ${email}, new_email = null, email_confirmed_at = coalesce(email_confirmed_at, now()),
      user_metadata = user_metadata || ${known}::jsonb, updated_at = now()
    where id = ${user.id}`.execute(tx)
  await sql`
    update auth_identity set identity_data = identity_data || ${known}::jsonb, updated_at = now()
    where user_id = ${user.id} and provider = 'email'`.execute(tx)
  await dropOtps(tx, user.id)
  return true
}

export const emailExists = (): AuthError =>
  new AuthError(422, 'email_exists', 'A user with this email address has already been registered')

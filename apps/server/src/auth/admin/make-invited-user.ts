import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { dropOtps } from '../codes/drop-otps.ts'
import { createUser } from '../create-user.ts'
import { AuthError, emailExists } from '../errors.ts'
import { findUserByEmail, lockUser, type UserRow } from '../queries.ts'

/**
 * Makes the user that an invitation goes to. Whoever signed up with the address and never confirmed it may be somebody
 * else: what they set up is worth nothing to the invited.
 */
export async function makeInvitedUser(
  tx: Tx,
  email: string,
  data: Readonly<Record<string, unknown>>,
): Promise<UserRow> {
  const made = await createUser(tx, { email, passwordHash: null, data, confirmed: false, given: true })
  const found = made ?? (await findUserByEmail(tx, email))
  const user = found && (await lockUser(tx, found.id))
  if (!user) throw new AuthError(409, 'conflict', 'This account was just deleted, please retry')
  if (user.email_confirmed_at) throw emailExists()
  await dropOtps(tx, user.id)
  await sql`
    update auth_user set invited_at = now(), confirmation_sent_at = now(), password_hash = null, password_given = false, updated_at = now()
    where id = ${user.id}`.execute(tx)
  return user
}

/** POST /invite: opens an account for an address and mails its owner a link to accept it. */
import { sql } from 'kysely'
import { inTransaction, type Tx } from '../../db/database.ts'
import { readEmail } from '../addresses.ts'
import type { Body } from '../body.ts'
import { emailExists } from '../codes/confirm.ts'
import { createUser } from '../create-user.ts'
import { AuthError } from '../errors.ts'
import { invitation } from '../letters/letters.ts'
import { dropOtps, mailLink } from '../codes/otp.ts'
import {
  findUserByEmail,
  findUserById,
  lockUser,
  presentUser,
  type UserBody,
  type UserRow,
} from '../queries.ts'
import type { AuthServices, Visitor } from '../services.ts'

export async function invite(auth: AuthServices, body: Body, visitor: Visitor): Promise<UserBody> {
  const email = readEmail(body.text('email', 1024))
  const data = body.object('data') ?? {}
  const user = await inTransaction(auth.database.kysely, async tx => {
    const { id } = await invitedUser(tx, email, data)
    await mailLink(tx, auth, {
      userId: id,
      kind: 'invite',
      type: 'invite',
      to: email,
      challenge: null,
      redirectTo: visitor.redirectTo,
      letter: invitation,
    })
    return (await findUserById(tx, id))!
  })
  auth.wakeMail()
  return presentUser(user)
}

/**
 * The user that an invitation goes to. Whoever signed up with the address and never confirmed it may be somebody else:
 * what they set up is worth nothing to the invited.
 */
export async function invitedUser(
  tx: Tx,
  email: string,
  data: Readonly<Record<string, unknown>>,
): Promise<UserRow> {
  const made = await createUser(tx, { email, passwordHash: null, data, confirmed: false })
  const found = made ?? (await findUserByEmail(tx, email))
  const user = found && (await lockUser(tx, found.id))
  if (!user) throw new AuthError(409, 'conflict', 'This account was just deleted, please retry')
  if (user.email_confirmed_at) throw emailExists()
  await dropOtps(tx, user.id)
  await sql`
    update auth_user set invited_at = now(), confirmation_sent_at = now(), password_hash = null, updated_at = now()
    where id = ${user.id}`.execute(tx)
  return user
}

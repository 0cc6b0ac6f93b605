/** Adds an identity to the account of somebody who is signed in. */
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { AuthError, userBanned } from '../errors.ts'
import { noteProviders } from '../note-providers.ts'
import { findUserById, isEmailTaken, lockUser, type UserRow } from '../queries.ts'
import { addIdentity, chooseEmail, lockSubject } from './identities.ts'
import type { Person } from './provider.ts'
import { findIdentity } from './queries.ts'

export async function linkIdentity(
  tx: Tx,
  provider: string,
  person: Person,
  userId: string,
): Promise<UserRow> {
  await lockSubject(tx, provider, person)
  const user = await lockUser(tx, userId)
  if (!user) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  if (user.banned) throw userBanned()
  const identity = await findIdentity(tx, provider, person)
  if (identity) {
    const whose = identity.user_id === userId ? '' : ' to another user'
    throw new AuthError(422, 'identity_already_exists', `Identity is already linked${whose}`)
  }
  await addIdentity(tx, provider, person, userId)
  if (user.is_anonymous)
    await tx.updateTable('auth_user').set({ is_anonymous: false }).where('id', '=', userId).execute()
  if (!user.email) await giveAddress(tx, userId, person)
  await noteProviders(tx, userId)
  return (await findUserById(tx, userId))!
}

/** Gives an address to somebody who had none. */
async function giveAddress(tx: Tx, userId: string, { emails }: Person): Promise<void> {
  const chosen = chooseEmail(emails)
  if (!chosen?.verified || (await isEmailTaken(tx, chosen.email, userId))) return
  await sql`
    update auth_user set email = ${chosen.email}, email_confirmed_at = now(), updated_at = now()
    where id = ${userId}`.execute(tx)
}

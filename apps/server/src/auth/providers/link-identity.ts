/** Adds an identity to the account of somebody who is signed in. */
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { actAsOwner } from '../act-as-owner.ts'
import { takeAccount } from '../codes/take-account.ts'
import { AuthError, userBanned } from '../errors.ts'
import { noteProviders } from '../note-providers.ts'
import { findUserById, isEmailTaken, lockUser, type UserRow } from '../queries.ts'
import { assertStillSignedIn } from '../sessions/assert-still-signed-in.ts'
import type { LinkTo } from './flows.ts'
import { addIdentity, chooseEmail, lockSubject } from './identities.ts'
import type { Person } from './provider.ts'
import { findIdentity } from './queries.ts'

export async function linkIdentity(
  tx: Tx,
  provider: string,
  person: Person,
  { userId, sessionId }: LinkTo,
): Promise<UserRow> {
  await lockSubject(tx, provider, person)
  const user = await lockUser(tx, userId)
  if (!user) throw new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist')
  if (user.banned) throw userBanned()
  await assertStillSignedIn(tx, userId, sessionId)
  await actAsOwner(tx, userId)
  const identity = await findIdentity(tx, provider, person)
  if (identity) {
    const whose = identity.user_id === userId ? '' : ' to another user'
    throw new AuthError(422, 'identity_already_exists', `Identity is already linked${whose}`)
  }
  const identityId = await addIdentity(tx, provider, person, userId)
  if (user.is_anonymous)
    await tx.updateTable('auth_user').set({ is_anonymous: false }).where('id', '=', userId).execute()
  const proves = user.email
    ? person.emails.some(({ email, verified }) => verified && email === user.email)
    : await giveAddress(tx, userId, person)
  // The first proof of the account's address. The caller opens a session anew.
  if (proves && !user.is_proved)
    await takeAccount(tx, user, { address: 'email', isIdentity: false, identityId, passwordHash: null })
  await noteProviders(tx, userId)
  return (await findUserById(tx, userId))!
}

/** Gives an address to somebody who had none. Returns whether there was one to give. */
async function giveAddress(tx: Tx, userId: string, { emails }: Person): Promise<boolean> {
  const chosen = chooseEmail(emails)
  if (!chosen?.verified || (await isEmailTaken(tx, chosen.email, userId))) return false
  await sql`
    update auth_user set email = ${chosen.email}, email_confirmed_at = now(), updated_at = now()
    where id = ${userId}`.execute(tx)
  return true
}

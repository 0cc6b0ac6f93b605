/** Removes an identity from the signed-in account, which keeps at least one, and an address that nobody else has. */
import { sql } from 'kysely'
import { type Database, inTransaction, type Tx } from '../../db/database.ts'
import { isId } from '@ingot/contracts/operation'
import { AuthError } from '../errors.ts'
import { noteProviders } from '../note-providers.ts'
import { findUserById, isEmailTaken, lockUser, type UserRow } from '../queries.ts'

export async function unlinkIdentity(
  { database }: { database: Database },
  userId: string,
  identityId: string,
): Promise<Record<string, never>> {
  if (!isId(identityId)) throw new AuthError(404, 'validation_failed', 'identity_id must be an UUID')
  await inTransaction(database.kysely, async tx => {
    const user = (await lockUser(tx, userId))!
    if (user.identities.length <= 1)
      throw new AuthError(
        422,
        'single_identity_not_deletable',
        'User must have at least 1 identity after unlinking',
      )
    const identity = user.identities.find(each => each.identity_id === identityId.toLowerCase())
    if (!identity) throw new AuthError(422, 'identity_not_found', "Identity doesn't exist")
    await tx.deleteFrom('auth_identity').where('id', '=', identity.identity_id).execute()
    if (identity.provider === 'phone') await dropPhone(tx, userId)
    else {
      if (identity.provider === 'email')
        await tx.updateTable('auth_user').set({ password_hash: null }).where('id', '=', userId).execute()
      await keepAddress(tx, userId)
    }
    await noteProviders(tx, userId)
  })
  return {}
}

async function dropPhone(tx: Tx, userId: string): Promise<void> {
  await sql`
    update auth_user set phone = null, phone_confirmed_at = null, updated_at = now() where id = ${userId}`.execute(
    tx,
  )
}

/** The account's address is one that an identity still has; a verified one, so nobody gets an address unproved. */
async function keepAddress(tx: Tx, userId: string): Promise<void> {
  const user: UserRow = (await findUserById(tx, userId))!
  const addresses = user.identities
    .filter(({ identity_data }) => identity_data['email_verified'] === true)
    .map(({ identity_data }) => String(identity_data['email']).toLowerCase())
  const [email] = addresses
  if (!email || addresses.includes(user.email ?? '')) return
  if (await isEmailTaken(tx, email, userId))
    throw new AuthError(
      422,
      'email_conflict_identity_not_deletable',
      'Unable to unlink identity due to email conflict',
    )
  await sql`
    update auth_user set email = ${email}, email_confirmed_at = coalesce(email_confirmed_at, now()), updated_at = now()
    where id = ${userId}`.execute(tx)
}

/** Signs in somebody whom an invitation led to a provider: holding it proves the invited address. */
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { actAsOwner } from '../act-as-owner.ts'
import { confirmEmail } from '../codes/confirm-email.ts'
import { dropOtps } from '../codes/drop-otps.ts'
import { bannedError } from '../banned.ts'
import { AuthError } from '../errors.ts'
import { noteProviders } from '../note-providers.ts'
import { findUserById, lockUser, type UserRow } from '../queries.ts'
import { addIdentity, lockSubject } from './identities.ts'
import type { Person } from './provider.ts'
import { findIdentity } from './queries.ts'
import { takeOverAccount } from './take-over-account.ts'

export async function acceptInvitation(
  tx: Tx,
  provider: string,
  person: Person,
  userId: string,
): Promise<UserRow> {
  await lockSubject(tx, provider, person)
  const user = await lockUser(tx, userId)
  const invited = await sql`
    select 1 from auth_otp where user_id = ${userId} and kind = 'invite' and expires_at > now()`.execute(tx)
  if (!user || invited.rows.length === 0) throw new AuthError(404, 'user_not_found', 'User not found')
  if (user.banned) throw await bannedError(tx, user.id)
  if (!person.emails.some(({ email }) => email === user.email))
    throw new AuthError(
      400,
      'validation_failed',
      'Invited email does not match emails from external provider',
    )
  if (await findIdentity(tx, provider, person))
    throw new AuthError(422, 'identity_already_exists', 'Identity is already linked to another user')
  await actAsOwner(tx, userId)
  const identityId = await addIdentity(tx, provider, person, userId)
  if (user.is_proved) await confirmEmail(tx, user)
  else await takeOverAccount(tx, user, identityId, person)
  await dropOtps(tx, userId)
  await noteProviders(tx, userId)
  return (await findUserById(tx, userId))!
}

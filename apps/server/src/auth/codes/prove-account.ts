/**
 * The first proof that an address of an account is somebody's, by a link or a code. What was set before goes, but for
 * what the very request set whose link or code this is.
 */
import type { Tx } from '../../db/database.ts'
import { noteProviders } from '../note-providers.ts'
import { findUserById, type UserRow } from '../queries.ts'
import type { Otp } from './find-otp.ts'
import { keepIdentity } from './keep-identity.ts'
import { takeAccount } from './take-account.ts'

/** `user`: as it was before the proof. */
export async function proveAccount(tx: Tx, user: UserRow, otp: Otp, by: 'email' | 'phone'): Promise<void> {
  const { password_hash: passwordHash, identity_id: identityId } = otp
  if (user.is_proved) {
    const isFirst = by === 'email' ? !user.email_confirmed_at : !user.phone_confirmed_at
    return isFirst ? setFirstPassword(tx, user, passwordHash) : undefined
  }
  await takeAccount(tx, user, { address: by, isIdentity: true, identityId, passwordHash })
  // A provider's account has no other identity: without it, the address is one.
  if (identityId) return noteProviders(tx, user.id)
  const { email, phone } = (await findUserById(tx, user.id))!
  await keepIdentity(
    tx,
    user.id,
    by,
    by === 'email' ? { email, email_verified: true } : { phone, phone_verified: true },
  )
}

/** An account that an administrator made without a password waits for its owner's. */
async function setFirstPassword(tx: Tx, user: UserRow, passwordHash: string | null): Promise<void> {
  if (passwordHash && !user.password_hash)
    await tx.updateTable('auth_user').set({ password_hash: passwordHash }).where('id', '=', user.id).execute()
}

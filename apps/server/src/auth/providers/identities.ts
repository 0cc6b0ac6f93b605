/** Removes an identity from the signed-in account, which keeps at least one, and an address that nobody else has. */
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { inTransaction, type Tx } from '../../db/database.ts'
import { AuthError } from '../errors.ts'
import { findUserById, isEmailTaken, lockUser, type UserRow } from '../queries.ts'
import type { AuthServices } from '../services.ts'
import { assertSecondFactor, requireSession } from '../sessions/session.ts'
import { noteProviders } from './admit.ts'

type SignedIn = Awaited<ReturnType<typeof requireSession>>

/** The signed-in user, who may change what they sign in with. */
export async function requireLinking(request: FastifyRequest, auth: AuthServices): Promise<SignedIn> {
  const signedIn = await requireSession(request, auth)
  if (!auth.settings.manualLinking)
    throw new AuthError(404, 'manual_linking_disabled', 'Manual linking is disabled')
  assertSecondFactor(signedIn.user, signedIn.session, 'link or unlink identities')
  return signedIn
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export async function unlinkIdentity(
  auth: AuthServices,
  userId: string,
  identityId: string,
): Promise<Record<string, never>> {
  if (!uuid.test(identityId)) throw new AuthError(404, 'validation_failed', 'identity_id must be an UUID')
  await inTransaction(auth.database.kysely, async tx => {
    const user = (await lockUser(tx, userId))!
    if (user.identities.length <= 1)
      throw new AuthError(
        422,
        'single_identity_not_deletable',
        'User must have at least 1 identity after unlinking',
      )
    const identity = user.identities.find(each => each.identity_id === identityId.toLowerCase())
    if (!identity) throw new AuthError(422, 'identity_not_found', "Identity doesn't exist")
    await sql`delete from auth_identity where id = ${identity.identity_id}`.execute(tx)
    if (identity.provider === 'phone') await dropPhone(tx, userId)
    else {
      if (identity.provider === 'email')
        await sql`update auth_user set password_hash = null where id = ${userId}`.execute(tx)
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

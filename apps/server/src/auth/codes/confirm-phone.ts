/** Writes what a redeemed code proves about a phone to the user and the identity of that kind. */
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { UserRow } from '../queries.ts'
import { keepIdentity } from './keep-identity.ts'

/** Nothing changes for a phone that was confirmed before. */
export async function confirmPhone(tx: Tx, user: UserRow): Promise<void> {
  if (user.phone_confirmed_at) return
  const known = { phone: user.phone, phone_verified: true }
  await sql`
    update auth_user set phone_confirmed_at = now(), user_metadata = user_metadata || ${JSON.stringify(known)}::jsonb,
      updated_at = now()
    where id = ${user.id}`.execute(tx)
  await keepIdentity(tx, user.id, 'phone', known)
}

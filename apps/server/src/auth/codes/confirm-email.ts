/** Writes what a redeemed link or code proves about an address to the user and the identity of that kind. */
import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { UserRow } from '../queries.ts'

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

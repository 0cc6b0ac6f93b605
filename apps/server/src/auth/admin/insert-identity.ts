import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { UserFields } from './user-fields.ts'

/** Writes the identity that goes with an address or phone which an administrator gave. */
export async function insertIdentity(
  tx: Tx,
  userId: string,
  provider: 'email' | 'phone',
  { email, phone, emailConfirm, phoneConfirm }: UserFields,
): Promise<void> {
  const data = {
    sub: userId,
    ...(provider === 'email' ? { email } : { phone }),
    email_verified: provider === 'email' && emailConfirm,
    phone_verified: provider === 'phone' && phoneConfirm,
  }
  await sql`
    insert into auth_identity (id, user_id, provider, provider_id, identity_data)
    values (${newId()}, ${userId}, ${provider}, ${userId}, ${JSON.stringify(data)})
    on conflict (provider, provider_id) do update
    set identity_data = auth_identity.identity_data || excluded.identity_data, updated_at = now()`.execute(tx)
}

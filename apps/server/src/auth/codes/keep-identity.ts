import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { noteProviders } from '../note-providers.ts'

/** Writes to the user's own identity of this kind, which is made when there is none yet. */
export async function keepIdentity(
  tx: Tx,
  userId: string,
  provider: 'email' | 'phone',
  known: Readonly<Record<string, unknown>>,
): Promise<void> {
  const all = { sub: userId, email_verified: false, phone_verified: false, ...known }
  await sql`
    insert into auth_identity (id, user_id, provider, provider_id, identity_data, last_sign_in_at)
    values (${newId()}, ${userId}, ${provider}, ${userId}, ${JSON.stringify(all)}, now())
    on conflict (provider, provider_id) do update
    set identity_data = auth_identity.identity_data || ${JSON.stringify(known)}::jsonb, updated_at = now()`.execute(
    tx,
  )
  await noteProviders(tx, userId)
}

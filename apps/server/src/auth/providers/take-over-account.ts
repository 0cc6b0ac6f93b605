import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { takeAccount } from '../codes/take-account.ts'
import type { UserRow } from '../queries.ts'
import type { Person } from './provider.ts'

/**
 * Gives an account whose address nobody had proved to the owner of that address, who proved it by an identity: empty,
 * without the profile, too. They come by the provider, so nobody asks them for a password.
 */
export async function takeOverAccount(
  tx: Tx,
  user: UserRow,
  identityId: string,
  { data }: Person,
): Promise<void> {
  await takeAccount(tx, user, { address: 'email', isIdentity: false, identityId, passwordHash: null })
  await sql`
    update auth_user set email_confirmed_at = now(), password_dropped = false, user_metadata = ${JSON.stringify(data)},
      updated_at = now()
    where id = ${user.id}`.execute(tx)
  await sql`
    update profiles set first_name = left(coalesce(${data['first_name'] ?? null}, ''), 120),
      last_name = left(coalesce(${data['last_name'] ?? null}, ''), 120), company = '', role = '', use_case = ''
    where user_id = ${user.id}`.execute(tx)
}

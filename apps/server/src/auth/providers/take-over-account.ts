import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import { dropOtps } from '../codes/drop-otps.ts'
import type { Person } from './provider.ts'

/**
 * Gives an account whose own address was never confirmed to the owner of that address, who proved it by an identity:
 * empty, without the password, profile and other identities that it had.
 */
export async function takeOverAccount(
  tx: Tx,
  userId: string,
  identityId: string,
  { data }: Person,
): Promise<void> {
  await tx.deleteFrom('auth_identity').where('user_id', '=', userId).where('id', '<>', identityId).execute()
  await tx.deleteFrom('auth_session').where('user_id', '=', userId).execute()
  await tx.deleteFrom('auth_code').where('user_id', '=', userId).execute()
  await tx.deleteFrom('auth_factor').where('user_id', '=', userId).execute()
  await dropOtps(tx, userId)
  await sql`
    update auth_user set email_confirmed_at = now(), password_hash = null, new_email = null, new_phone = null,
      user_metadata = ${JSON.stringify(data)}, updated_at = now()
    where id = ${userId}`.execute(tx)
  await sql`
    update profiles set first_name = left(coalesce(${data['first_name'] ?? null}, ''), 120),
      last_name = left(coalesce(${data['last_name'] ?? null}, ''), 120), company = '', role = '', use_case = ''
    where user_id = ${userId}`.execute(tx)
}

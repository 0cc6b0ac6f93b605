import { deleteWord } from '@ingot/contracts/accounts'
import { IngotError } from '@ingot/contracts/errors'
import type { PersonDeletion, Suspension } from '@ingot/contracts/admin/people'
import { sql } from 'kysely'
import { whatDeletionMeans } from '../accounts/queries.ts'
import type { Db, Tx } from '../db/database.ts'

export async function getSuspension(db: Db | Tx, userId: string): Promise<Suspension> {
  const row = await db
    .selectFrom('suspension')
    .select(['user_id', 'suspended_at', 'reason'])
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row ?? { user_id: userId, suspended_at: null, reason: null }
}

export const confirmationOf = (email: string | null): string => email ?? deleteWord

/** What deleting, or suspending, a user would concern. */
export async function getPersonDeletion(db: Db, userId: string, at: string): Promise<PersonDeletion> {
  const { rows } = await sql<
    Pick<PersonDeletion, 'email' | 'sessions' | 'has_api_key' | 'is_last_administrator'>
  >`
    select u.email,
      (select count(*)::int from auth_session s where s.user_id = u.id and s.superseded_at is null) as sessions,
      exists (select from api_keys k where k.user_id = u.id and k.is_active) as has_api_key,
      exists (select from user_roles r where r.user_id = u.id and r.role = 'admin') and not exists (
        select from user_roles r join auth_user o on o.id = r.user_id
        where r.role = 'admin' and o.id <> u.id and not coalesce(o.banned_until > now(), false)) as is_last_administrator
    from auth_user u where u.id = ${userId} and u.deleted_at is null`.execute(db)
  if (!rows[0]) throw new IngotError('not_found')
  return {
    user_id: userId,
    ...rows[0],
    confirmation: confirmationOf(rows[0].email),
    ...(await whatDeletionMeans(db, userId, at)),
  }
}

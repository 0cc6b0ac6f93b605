import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'

/** All who read tickets of others and can sign in. */
export async function staffIds(db: Db | Tx): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select u.id from user_roles r join auth_user u on u.id = r.user_id
    where r.role in ('moderator', 'admin') and not coalesce(u.banned_until > now(), false)`.execute(db)
  return rows.map(({ id }) => id)
}

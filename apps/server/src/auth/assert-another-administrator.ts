import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'

/**
 * Refuses to take the role from a user who is the only administrator that can sign in. The rows stay locked until the
 * transaction ends, so of two administrators who take it from each other at once the second finds the first one's gone.
 */
export async function assertAnotherAdministrator(tx: Tx, userId: string): Promise<void> {
  const { rows } = await sql<{ user_id: string; is_banned: boolean }>`
    select r.user_id, coalesce(u.banned_until > now(), false) as is_banned
    from user_roles r join auth_user u on u.id = r.user_id
    where r.role = 'admin' order by r.user_id for update of r`.execute(tx)
  const isOne = rows.some(row => row.user_id === userId)
  if (isOne && !rows.some(row => row.user_id !== userId && !row.is_banned))
    throw new IngotError('last_administrator')
}

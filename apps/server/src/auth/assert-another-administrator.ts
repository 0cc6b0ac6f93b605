import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'

/**
 * Refuses to take the role, or the way in, from a user who is the only administrator that can sign in. The rows stay
 * locked until the transaction ends, so of two administrators who take it from each other at once the second finds the
 * first one's gone. Bans are read after that: whoever was waited for may have banned somebody.
 */
export async function assertAnotherAdministrator(tx: Tx, userId: string): Promise<void> {
  const { rows: administrators } = await sql<{ id: string }>`
    select user_id as id from user_roles where role = 'admin' order by user_id for update`.execute(tx)
  if (!administrators.some(({ id }) => id === userId)) return
  const others = administrators.map(({ id }) => id).filter(id => id !== userId)
  const { rows: left } = await sql`
    select from auth_user where id = any(${others}::uuid[]) and not coalesce(banned_until > now(), false)`.execute(
    tx,
  )
  if (!left.length) throw new IngotError('last_administrator')
}

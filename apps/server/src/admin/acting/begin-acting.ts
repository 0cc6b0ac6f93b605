/** Opens half an hour in which an administrator's session reads as a customer. The customer reads that it did, and why. */
import { type Acting, actingMinutes } from '@ingot/contracts/admin/acting'
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { SessionCaller } from '../../http/bind.ts'

export async function beginActing(
  tx: Tx,
  { userId: by, sessionId }: SessionCaller,
  { user_id, reason }: { readonly user_id: string; readonly reason: string },
): Promise<Acting> {
  const user = await tx
    .selectFrom('auth_user')
    .select('deleted_at')
    .where('id', '=', user_id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!user || user.deleted_at) throw new IngotError('not_found')
  const staff = await tx
    .selectFrom('user_roles')
    .select('role')
    .where('user_id', '=', user_id)
    .executeTakeFirst()
  if (staff || user_id === by)
    throw new IngotError('invalid_state', { message: 'Nobody acts as themselves or as other staff' })
  await sql`select begin_acting(${sessionId}, ${by}, ${user_id}, ${reason.trim()}, ${actingMinutes})`.execute(
    tx,
  )
  return (await getActing(tx, sessionId))!
}

export async function getActing(db: Db | Tx, sessionId: string): Promise<Acting | null> {
  const { rows } = await sql<Acting>`
    select a.user_id, u.email, a.reason, a.until from acting a join auth_user u on u.id = a.user_id
    where a.session_id = ${sessionId} and a.until > now()`.execute(db)
  return rows[0] ?? null
}

/** Which of an account's keys open an instance: those that its owner chose, or every one. */
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'

/** Of these the ones that the account has; null stays null. */
export async function keysLeft(
  db: Db | Tx,
  userId: string,
  ids: readonly string[] | null,
): Promise<string[] | null> {
  if (!ids) return null
  const { rows } = await sql<{ id: string }>`
    select id from ssh_key where user_id = ${userId} and id = any(${[...new Set(ids)]}::uuid[]) order by id`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** The same, where all of them have to be there. */
export async function ownKeys(
  tx: Tx,
  userId: string,
  ids: readonly string[] | null,
  field: string,
): Promise<string[] | null> {
  const own = await keysLeft(tx, userId, ids)
  if (own && own.length < new Set(ids).size)
    throw new IngotError('validation_failed', { fields: { [field]: 'names a key that you do not have' } })
  return own
}

import { sql } from 'kysely'
import { actAs } from '../db/act.ts'
import type { Tx } from '../db/database.ts'

/** A link, a code or a provider has told who is there: what the transaction still does is done by the account's owner. */
export async function actAsOwner(tx: Tx, userId: string): Promise<void> {
  const actor = `user:${userId}` as const
  actAs(actor)
  await sql`select set_config('ingot.actor', ${actor}, true)`.execute(tx)
}

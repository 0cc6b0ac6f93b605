import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'

/** Ends sessions that have not shown the second factor: they may be somebody's who knows the password alone. */
export async function endWeakerSessions(tx: Tx, userId: string): Promise<void> {
  await sql`delete from auth_session where user_id = ${userId} and aal = 'aal1'`.execute(tx)
}

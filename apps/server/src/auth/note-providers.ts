/** Writes into the account which providers its identities are of, after they have changed. */
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'

export async function noteProviders(tx: Tx, userId: string): Promise<void> {
  await sql`select auth_note_providers(${userId})`.execute(tx)
}

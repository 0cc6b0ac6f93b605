/** Queues the notices about a wallet that something draws on, in the transaction that holds its lock. */
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'

export async function noteBalance(tx: Tx, userId: string, at: string): Promise<void> {
  await sql`select note_balances(array[${userId}]::uuid[], ${at})`.execute(tx)
}

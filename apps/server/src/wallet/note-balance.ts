/** Queues the notices about a wallet that something draws on, in the transaction that holds its lock. */
import { parseUsd } from '@ingot/contracts/money'
import { balanceThresholds } from '@ingot/contracts/wallet'
import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'

const good = parseUsd(balanceThresholds.good)

export async function noteBalance(tx: Tx, userId: string, at: string): Promise<void> {
  await sql`select note_balance(${userId}, ${at}, ${good})`.execute(tx)
}

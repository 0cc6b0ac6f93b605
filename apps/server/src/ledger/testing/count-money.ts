import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'

/** Counts all movements that there are. What is written anywhere in the cluster meanwhile is waited for. */
export async function countMoney(db: Db): Promise<void> {
  for (;;) {
    while (await step(db));
    const { rows } = await sql<{ is_over: boolean }>`
      select transfer_id = (select coalesce(max(id), 0) from ledger_transfer) as is_over from money_counted`.execute(
      db,
    )
    if (rows[0]!.is_over) return
    await sleep(5)
  }
}

const step = async (db: Db): Promise<boolean> =>
  (await sql<{ more: boolean }>`select roll_up_money() as more`.execute(db)).rows[0]!.more

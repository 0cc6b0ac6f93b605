/** A withdrawal under way, for tests. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { newId } from '../db/ids.ts'
import type { RowMakers } from '../http/test-owner.ts'

/** A transfer that is final and credited. */
export async function deposited(db: Db, userId: string, usd: number): Promise<void> {
  await sql`select credit_deposit(${newId()}, 'devnet', ${randomBytes(32)}, 0, ${userId}, 1, now(), ${randomBytes(20)}, ${randomBytes(20)},
    ${usd * 1_000_000}, 10000000, 19, business_now())`.execute(db)
}

export const rows: RowMakers = {
  withdrawals: async ({ id: userId, db }) => {
    const id = newId()
    await deposited(db, userId, 20)
    await sql`select request_withdrawal(${id}, ${userId}, 20000000, ${randomBytes(20)}, ${randomBytes(32)}, 'Withdrawal', 5, business_now())`.execute(
      db,
    )
    return id
  },
}

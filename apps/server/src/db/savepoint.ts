import { sql } from 'kysely'
import type { Tx } from './database.ts'

/** Where `work` throws, the transaction is as it was before it and may go on. */
export async function inSavepoint<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint attempt`.execute(tx)
  try {
    const result = await work()
    await sql`release savepoint attempt`.execute(tx)
    return result
  } catch (error) {
    await sql`rollback to savepoint attempt; release savepoint attempt`.execute(tx)
    throw error
  }
}

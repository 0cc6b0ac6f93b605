/**
 * How far deposits are behind: the scanner may be stuck, or its nodes may stand still without an error. So it goes by the
 * time of the last block that was read, not by whether somebody read.
 */
import type { Db } from '../db/database.ts'
import type { Chain } from './chain.ts'

/** A final block is about a minute old, and a pass comes every half minute. */
const lateMs = 5 * 60_000

/** In whole minutes, where it is worth telling; null while deposits are up to date, undefined before there are any. */
export async function delayedMinutes(
  db: Db,
  chain: Pick<Chain, 'name' | 'isTestNetwork'>,
): Promise<number | null | undefined> {
  const row = await db
    .selectFrom('chain_cursor')
    .select(['block_at', 'scanned_at'])
    .where('chain', '=', chain.name)
    .executeTakeFirst()
  // The test chain makes blocks only when there is something to put into them.
  const at = chain.isTestNetwork ? row?.scanned_at : (row?.block_at ?? row?.scanned_at)
  if (!at) return undefined
  const ms = Date.now() - Date.parse(at)
  return ms > lateMs ? Math.floor(ms / 60_000) : null
}

/**
 * Each user's own address, for ever. It is derived again from the xpub whenever it is shown and compared with the row:
 * a row that somebody changed is never shown. No address is given out before the scanner knows where to start.
 */
import { IngotError } from '@ingot/contracts/errors'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { addressAt, type Chain } from './chain.ts'

export async function getDepositAddress(db: Db, chain: Chain, userId: string): Promise<string> {
  const cursor = await db
    .selectFrom('chain_cursor')
    .select('height')
    .where('chain', '=', chain.name)
    .executeTakeFirst()
  if (!cursor)
    throw new IngotError('unavailable', {
      message: 'The payment network cannot be reached right now. Try again shortly',
    })
  const row = (await find(db, chain, userId)) ?? (await make(db, chain, userId))
  const derived = addressAt(chain, row.idx)
  if (derived.base58 !== row.base58)
    throw new Error(
      `deposit address ${row.idx} of chain ${chain.name} does not come from the configured xpub`,
    )
  return derived.base58
}

const find = (db: Db, chain: Chain, userId: string) =>
  db
    .selectFrom('deposit_address')
    .select(['idx', 'base58'])
    .where('chain', '=', chain.name)
    .where('account_key', '=', chain.accountKey)
    .where('user_id', '=', userId)
    .executeTakeFirst()

/** Two requests at once make one address; the index that lost stays unused. */
async function make(db: Db, chain: Chain, userId: string): Promise<{ idx: bigint; base58: string }> {
  const { rows } = await sql<{ idx: bigint }>`select nextval('deposit_address_index') as idx`.execute(db)
  const { idx } = rows[0]!
  const address = addressAt(chain, idx)
  await db
    .insertInto('deposit_address')
    .values({
      chain: chain.name,
      account_key: chain.accountKey,
      user_id: userId,
      idx,
      address20: Buffer.from(address.address20, 'hex'),
      base58: address.base58,
    })
    .onConflict(conflict => conflict.columns(['chain', 'account_key', 'user_id']).doNothing())
    .execute()
  return (await find(db, chain, userId))!
}

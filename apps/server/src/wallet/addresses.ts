/**
 * Whose deposit addresses are whose, for the scanner. Addresses only ever come: none is taken back or changed, so their
 * number says whether there are new ones.
 */
import type { Address20 } from '@ingot/tron/address'
import type { Watched } from '@ingot/tron/hit'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import type { Chain } from './chain.ts'

/**
 * Every address ever given out on this chain, and those that the operator pays from. A list that is short enough is kept and
 * read again when it has grown.
 */
export function createWatched(db: Db, chain: Chain, payouts: readonly Address20[]): Watched {
  let listed: readonly Address20[] = []
  return {
    async list(most) {
      const count = await countUpTo(db, chain, most + 1)
      if (count > most) listed = []
      else if (count !== listed.length) listed = await readAll(db, chain)
      return count > most ? null : [...listed, ...payouts]
    },
    oursAmong: async addresses =>
      new Set([
        ...(await ownersAmong(db, chain, addresses)).keys(),
        ...payouts.filter(each => addresses.includes(each)),
      ]),
  }
}

/** Address → user, of those of `addresses` that are ours. */
export async function ownersAmong(
  db: Db | Tx,
  chain: Chain,
  addresses: readonly Address20[],
): Promise<ReadonlyMap<Address20, string>> {
  const { rows } = await sql<{ address: Address20; user_id: string }>`
    select encode(address20, 'hex') as address, user_id from deposit_address
    where chain = ${chain.name} and address20 = any(${addresses.map(address => Buffer.from(address, 'hex'))}::bytea[])`.execute(
    db,
  )
  return new Map(rows.map(row => [row.address, row.user_id]))
}

async function countUpTo(db: Db, chain: Chain, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int from (select 1 from deposit_address where chain = ${chain.name} limit ${most}) each`.execute(
    db,
  )
  return rows[0]!.count
}

async function readAll(db: Db, chain: Chain): Promise<Address20[]> {
  const rows = await db
    .selectFrom('deposit_address')
    .select('address20')
    .where('chain', '=', chain.name)
    .execute()
  return rows.map(row => row.address20.toString('hex'))
}

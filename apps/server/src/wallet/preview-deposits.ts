/** Transfers that are on the chain but not final: for the eyes of those who wait. Nothing is credited from here. */
import { pending, type PendingTransfer } from '@ingot/tron/pending'
import type { ChainReader } from '@ingot/tron/reader'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Clock } from '../db/clock.ts'
import { type Database, inTransaction, type Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { newId } from '../db/ids.ts'
import { ownersAmong } from './addresses.ts'
import type { Chain } from './chain.ts'
import type { Waiting } from './waiting.ts'

export interface PreviewNeeds {
  readonly chain: Chain
  readonly database: Database
  readonly clock: Clock
  readonly waiting: Waiting
  readonly log: Logger
}

/**
 * Writes what is on its way to the addresses somebody waits at; drops what the chain dropped. Returns whose view
 * changed.
 */
export async function previewDeposits(
  { chain, clock, database, waiting, log }: PreviewNeeds,
  reader: ChainReader,
  solidHeight: number,
): Promise<string[]> {
  const arriving = await database.kysely
    .selectFrom('chain_deposit')
    .select(['to20'])
    .where('chain', '=', chain.name)
    .where('state', '=', 'pending')
    .execute()
  const wanted = new Set([...waiting.addresses(), ...arriving.map(row => row.to20.toString('hex'))])
  if (!wanted.size) return []
  const owners = await ownersAmong(database.kysely, chain, [...wanted])
  if (!owners.size) return []
  const seen = await pending({
    reader,
    contract: chain.contract,
    addresses: [...owners.keys()],
    needed: chain.confirmationsNeeded,
  })
  if (seen.kind === 'stopped') {
    log.info({ why: seen.why }, 'arriving transfers cannot be shown now')
    return []
  }
  return inTransaction(database.kysely, async tx => {
    const changed = new Set<string>()
    for (const transfer of seen.transfers) {
      const userId = owners.get(transfer.to20)!
      if (await keepPending(tx, chain, transfer, userId)) changed.add(userId)
    }
    // A transfer below the solid head that is still not credited was in a block that lost.
    const { rows: lost } = await sql<{
      user_id: string
    }>`select drop_lost_deposits(${chain.name}, ${solidHeight}) as user_id`.execute(tx)
    for (const row of lost) changed.add(row.user_id)
    const at = clock.iso()
    if (changed.size)
      await appendEvent(tx, ...[...changed].map(userId => ({ userId, type: 'deposit.updated' as const, at })))
    return [...changed]
  })
}

async function keepPending(
  db: Tx,
  chain: Chain,
  transfer: PendingTransfer,
  userId: string,
): Promise<boolean> {
  const { rows } = await sql<{ changed: boolean }>`
    select preview_deposit(${newId()}, ${chain.name}, ${Buffer.from(transfer.txid, 'hex')}, ${transfer.position}, ${userId},
      ${transfer.height}, ${new Date(transfer.timeMs).toISOString()}, ${Buffer.from(transfer.from20, 'hex')},
      ${Buffer.from(transfer.to20, 'hex')}, ${transfer.amount}, ${transfer.confirmations}) as changed`.execute(
    db,
  )
  return rows[0]!.changed
}

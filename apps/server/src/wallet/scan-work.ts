/**
 * Credits deposits: one pass of the scanner at a time, over all processes. Hits, credits and the new cursor are one
 * transaction, and each hit is credited under its own identity, so a pass that is repeated credits nothing twice. A
 * second look, at blocks that are not final, feeds the screens only.
 */
import { IngotError } from '@ingot/contracts/errors'
import type { BlockRef } from '@ingot/tron/answers'
import type { Hit, Watched } from '@ingot/tron/hit'
import { pending, type PendingTransfer } from '@ingot/tron/pending'
import { scan } from '@ingot/tron/scan'
import { type Selectable, sql } from 'kysely'
import type { Logger } from 'pino'
import type { Clock } from '../db/clock.ts'
import type { Database, Db, Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { newId } from '../db/ids.ts'
import type { Tables } from '../db/tables.ts'
import type { Work } from '../worker/loop.ts'
import type { Signals } from '../worker/signals.ts'
import type { Chain } from './chain.ts'
import type { Waiting } from './waiting.ts'

type Cursor = Selectable<Tables['chain_cursor']>

export interface ScanServices {
  readonly chain: Chain
  readonly database: Database
  readonly clock: Clock
  readonly signals: Signals
  readonly log: Logger
  readonly waiting: Waiting
}

const afterFailureMs = 5_000

/** Sets the scanner's starting point: the solid head of the moment. Done once, before any address is shown. */
export async function openCursor({
  chain,
  database,
}: Pick<ScanServices, 'chain' | 'database'>): Promise<void> {
  const present = await database.kysely
    .selectFrom('chain_cursor')
    .select('chain')
    .where('chain', '=', chain.name)
    .executeTakeFirst()
  if (present) return
  const head = await scan({ cursor: null, reader: chain.reader, contract: chain.contract, watched: nobody })
  if (head.kind === 'stopped')
    throw new IngotError('unavailable', { message: `the chain cannot be read: ${head.message}` })
  await sql`insert into chain_cursor (chain, height, block_id) values (${chain.name}, ${head.cursor.height}, ${head.cursor.blockId})
    on conflict (chain) do nothing`.execute(database.kysely)
}
const nobody: Watched = { list: () => [], isOurs: () => false }

export function scanWork(services: ScanServices): Work<Cursor> {
  const { chain, database, log } = services
  return {
    topic: 'chain',
    table: 'chain_cursor',
    key: 'chain',
    clock: 'real',
    leaseMs: 60_000,
    concurrency: 1,
    async perform(row, claim) {
      const owners = await ownersOf(database.kysely, chain)
      const watched: Watched = { list: () => [...owners.keys()], isOurs: address => owners.has(address) }
      const cursor: BlockRef = { height: Number(row.height), blockId: row.block_id }
      const result = await scan({ cursor, reader: chain.reader, contract: chain.contract, watched })
      if (result.kind === 'stopped') {
        if (row.stopped_reason === null)
          log.error({ chain: chain.name, why: result.why }, `deposits wait: ${result.message}`)
        await claim.apply(async () => ({
          due_at: inMs(result.retryMs ?? afterFailureMs),
          stopped_reason: `${result.why}: ${result.message}`.slice(0, 300),
        }))
        return
      }
      for (const refused of result.refused)
        log.info({ refused }, 'a transfer to one of our addresses is no deposit')
      let credited: string[] = []
      await claim.apply(async tx => {
        credited = await credit(tx, services, result.hits, owners)
        return {
          height: BigInt(result.cursor.height),
          block_id: result.cursor.blockId,
          scanned_at: new Date().toISOString(),
          stopped_reason: null,
          due_at: await nextPass(tx, services, result.cursor.height < result.head.height),
        }
      })
      const previewed = await preview(services, owners, result.cursor.height)
      for (const userId of new Set([...credited, ...previewed])) services.signals.send(`user:${userId}`)
      if (credited.length) services.signals.send('wallets')
    },
  }
}

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()

/** Soon while a transfer is on its way or somebody waits for one, else seldom. */
async function nextPass(tx: Tx, { chain, waiting }: ScanServices, moreNow: boolean): Promise<string> {
  if (moreNow) return inMs(0)
  const arriving = await tx
    .selectFrom('chain_deposit')
    .select('id')
    .where('chain', '=', chain.name)
    .where('state', '=', 'pending')
    .executeTakeFirst()
  return inMs(arriving || waiting.any() ? chain.scanEveryMs.watched : chain.scanEveryMs.idle)
}

/** Address → user, for every address ever given out on this chain. */
async function ownersOf(db: Db, chain: Chain): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('deposit_address')
    .select(['address20', 'user_id'])
    .where('chain', '=', chain.name)
    .execute()
  return new Map(rows.map(row => [row.address20.toString('hex'), row.user_id]))
}

/** Returns whose wallets changed. Wallets are locked in the order of their users, as everywhere. */
async function credit(
  tx: Tx,
  { chain, clock }: ScanServices,
  hits: readonly Hit[],
  owners: ReadonlyMap<string, string>,
): Promise<string[]> {
  const at = clock.iso()
  const credited: string[] = []
  const ordered = hits
    .map(hit => ({ hit, userId: owners.get(hit.to20)! }))
    .toSorted((a, b) => (a.userId < b.userId ? -1 : a.userId > b.userId ? 1 : 0))
  for (const { hit, userId } of ordered) {
    const { rows } = await sql<{
      micro: bigint
    }>`select credit_deposit(${newId()}, ${chain.name}, ${Buffer.from(hit.txid, 'hex')}, ${hit.position},
      ${userId}, ${hit.height}, ${new Date(hit.timeMs).toISOString()}, ${Buffer.from(hit.from20, 'hex')}, ${Buffer.from(hit.to20, 'hex')},
      ${hit.amount}, ${chain.minimumMicro}, ${chain.confirmationsNeeded}, ${at}) as micro`.execute(tx)
    if (rows[0]!.micro === 0n) continue
    credited.push(userId)
    await appendEvent(tx, { userId, type: 'wallet.credited', at }, { userId, type: 'wallet.updated', at })
  }
  return credited
}

/** Writes what is on its way to the addresses somebody waits at; drops what the chain dropped. Returns whose view changed. */
async function preview(
  services: ScanServices,
  owners: ReadonlyMap<string, string>,
  solidHeight: number,
): Promise<string[]> {
  const { chain, database, waiting, log } = services
  const arriving = await database.kysely
    .selectFrom('chain_deposit')
    .select(['to20'])
    .where('chain', '=', chain.name)
    .where('state', '=', 'pending')
    .execute()
  const addresses = new Set(
    [...waiting.addresses(), ...arriving.map(row => row.to20.toString('hex'))].filter(address =>
      owners.has(address),
    ),
  )
  if (!addresses.size) return []
  const seen = await pending({
    reader: chain.reader,
    contract: chain.contract,
    addresses: [...addresses],
    needed: chain.confirmationsNeeded,
  })
  if (seen.kind === 'stopped') {
    log.info({ why: seen.why }, 'arriving transfers cannot be shown now')
    return []
  }
  const changed: string[] = []
  for (const transfer of seen.transfers) {
    const userId = owners.get(transfer.to20)!
    if (await notePending(database.kysely, chain, transfer, userId)) changed.push(userId)
  }
  // Below the solid head and still not credited: it was in a block that lost.
  const { rows } = await sql<{ user_id: string }>`update chain_deposit set state = 'orphaned'
    where chain = ${chain.name} and state = 'pending' and block_number <= ${solidHeight} returning user_id`.execute(
    database.kysely,
  )
  return [...changed, ...rows.map(row => row.user_id)]
}

async function notePending(
  db: Db,
  chain: Chain,
  transfer: PendingTransfer,
  userId: string,
): Promise<boolean> {
  const { rows } = await sql<{ user_id: string }>`
    insert into chain_deposit (id, chain, txid, log_index, user_id, block_number, block_at, from20, to20, amount_micro, state, confirmations)
    values (${newId()}, ${chain.name}, ${Buffer.from(transfer.txid, 'hex')}, ${transfer.position}, ${userId}, ${transfer.height},
      ${new Date(transfer.timeMs).toISOString()}, ${Buffer.from(transfer.from20, 'hex')}, ${Buffer.from(transfer.to20, 'hex')}, ${transfer.amount}, 'pending', ${transfer.confirmations})
    on conflict (chain, txid, log_index) do update set state = 'pending', block_number = excluded.block_number, confirmations = excluded.confirmations
      where chain_deposit.state in ('pending', 'orphaned') and (chain_deposit.confirmations, chain_deposit.block_number, chain_deposit.state) is distinct from (excluded.confirmations, excluded.block_number, 'pending')
    returning user_id`.execute(db)
  return rows.length > 0
}

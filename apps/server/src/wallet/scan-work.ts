/**
 * Credits deposits and records sweeps: one pass of the scanner at a time, over all processes. Hits, credits and the new
 * cursor are one transaction, and each hit is credited under its own identity, so a pass that is repeated credits nothing twice. A
 * second look, at blocks that are not final, feeds the screens only.
 */
import { parseAddress } from '@ingot/tron/address'
import type { BlockRef } from '@ingot/tron/answers'
import type { Hit } from '@ingot/tron/hit'
import { scan, scanLimits } from '@ingot/tron/scan'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { Clock } from '../db/clock.ts'
import type { Db, Tx } from '../db/database.ts'
import { appendEvent } from '../db/events.ts'
import { newId } from '../db/ids.ts'
import type { Work } from '../worker/loop.ts'
import type { Signals } from '../worker/signals.ts'
import { createWatched, ownersAmong } from './addresses.ts'
import { type Chain, creditEndsAt } from './chain.ts'
import { previewDeposits, type PreviewNeeds } from './preview-deposits.ts'
import { recordSweeps, type SweepNeeds } from './record-sweeps.ts'
import { createSearchMethod, type SearchNeeds } from './search-method.ts'
import type { Waiting } from './waiting.ts'

export interface ScanNeeds extends PreviewNeeds, SearchNeeds, SweepNeeds {
  readonly config: SweepNeeds['config'] & Pick<Config, 'payoutAddresses'>
  readonly signals: Signals
}

export function scanWork(needs: ScanNeeds): Work<'chain_cursor'> {
  const { chain, database, signals, log } = needs
  const searchMethod = createSearchMethod(needs)
  const watched = createWatched(database.kysely, chain, needs.config.payoutAddresses.map(parseAddress))
  return {
    table: 'chain_cursor',
    key: 'chain',
    clock: 'real',
    concurrency: 1,
    async perform(row, claim) {
      const cursor: BlockRef = { height: Number(row.height), blockId: row.block_id }
      const known = await knownTransactions(database.kysely, chain, cursor.height)
      const endpoint = chain.endpoints.pick()
      const { reader } = endpoint
      const method = await searchMethod(endpoint)
      const result = await scan({
        cursor,
        reader,
        contract: chain.contract,
        watched,
        isKnown: txid => known.has(txid),
        ...(method ? { method } : {}),
      })
      if (result.kind === 'stopped') {
        const { why, message } = result
        const about = { chain: chain.name, endpoint: endpoint.name, why }
        const waitMs = chain.endpoints.failed(endpoint, result.retryMs)
        const isOver = waitMs === 0
        if (isOver) log.warn(about, `the next TRON endpoint is asked: ${message}`)
        else if (row.stopped_reason === null) log.error(about, `deposits wait: ${message}`)
        await claim.apply(async () => ({
          due_at: inMs(waitMs ?? chain.scanEveryMs.watched),
          ...(isOver ? {} : { stopped_reason: `${why}: ${message}`.slice(0, 300) }),
        }))
        return
      }
      const { cursor: end, head } = result
      // What it said holds; another one may know more.
      const isLate = !chain.isTestNetwork && Date.now() - head.timeMs > staleHeadMs
      if (!isLate) chain.endpoints.worked(endpoint)
      else if (chain.endpoints.failed(endpoint, null) === 0)
        log.warn(
          { chain: chain.name, endpoint: endpoint.name },
          'a TRON endpoint stands still: the next one is asked',
        )
      for (const refused of result.refused)
        log.info({ refused }, 'a transfer to one of our addresses is no deposit')
      let credited: string[] = []
      let paidOut: readonly string[] = []
      await claim.apply(async tx => {
        credited = await credit(tx, needs, result.hits)
        paidOut = await recordSweeps(tx, needs, result.sweeps)
        return {
          height: BigInt(end.height),
          block_id: end.blockId,
          block_at: new Date(head.timeMs - (head.height - end.height) * blockMs).toISOString(),
          scanned_at: new Date().toISOString(),
          stopped_reason: null,
          due_at: await nextPass(tx, needs, end.height < head.height),
        }
      })
      const previewed = await previewDeposits(needs, reader, end.height)
      for (const userId of new Set([...credited, ...paidOut, ...previewed])) signals.send(`user:${userId}`)
      if (credited.length) signals.send('wallets')
      if (paidOut.length) signals.send('mail')
    },
  }
}

/** A solid head is about a minute old; one that is older comes from a node that stands still. */
const staleHeadMs = 180_000
/** Of TRON, where no block is missed. */
const blockMs = 3_000

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()

/** Soon while a transfer is on its way or somebody waits for one, else seldom. */
async function nextPass(
  tx: Tx,
  { chain, waiting }: { chain: Chain; waiting: Waiting },
  moreNow: boolean,
): Promise<string> {
  if (moreNow) return inMs(0)
  const arriving = await tx
    .selectFrom('chain_deposit')
    .select('id')
    .where('chain', '=', chain.name)
    .where('state', '=', 'pending')
    .executeTakeFirst()
  return inMs(arriving || waiting.any() ? chain.scanEveryMs.watched : chain.scanEveryMs.idle)
}

/** Transactions whose transfers are all stored: the scanner's overlap need not read them again. */
async function knownTransactions(db: Db, chain: Chain, height: number): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('chain_deposit')
    .select('txid')
    .where('chain', '=', chain.name)
    .where('block_number', '>=', BigInt(height - scanLimits.overlapBlocks))
    .where('state', 'in', ['credited', 'held', 'rejected'])
    .execute()
  const swept = await db
    .selectFrom('chain_sweep')
    .select('txid')
    .where('chain', '=', chain.name)
    .where('block_number', '>=', BigInt(height - scanLimits.overlapBlocks))
    .execute()
  return new Set([...rows, ...swept].map(row => row.txid.toString('hex')))
}

/** Returns whose wallets changed. Wallets are locked in the order of their users, as everywhere. */
async function credit(
  tx: Tx,
  { chain, clock }: { chain: Chain; clock: Clock },
  hits: readonly Hit[],
): Promise<string[]> {
  if (!hits.length) return []
  const at = clock.iso()
  const owners = await ownersAmong(
    tx,
    chain,
    hits.map(hit => hit.to20),
  )
  const credited: string[] = []
  const ordered = hits
    // What comes to an address that the operator pays from is nobody's deposit.
    .flatMap(hit => {
      const userId = owners.get(hit.to20)
      return userId === undefined ? [] : { hit, userId }
    })
    .toSorted((a, b) => (a.userId < b.userId ? -1 : a.userId > b.userId ? 1 : 0))
  for (const { hit, userId } of ordered) {
    const { rows } = await sql<{
      micro: bigint
    }>`select credit_deposit(${newId()}, ${chain.name}, ${Buffer.from(hit.txid, 'hex')}, ${hit.position},
      ${userId}, ${hit.height}, ${new Date(hit.timeMs).toISOString()}, ${Buffer.from(hit.from20, 'hex')}, ${Buffer.from(hit.to20, 'hex')},
      ${hit.amount}, ${chain.minimumMicro}, ${chain.confirmationsNeeded}, ${at}, ${chain.reviewMicro},
      ${creditEndsAt(chain, at)}) as micro`.execute(tx)
    if (rows[0]!.micro === 0n) continue
    credited.push(userId)
    await appendEvent(tx, { userId, type: 'wallet.credited', at }, { userId, type: 'wallet.updated', at })
  }
  return credited
}

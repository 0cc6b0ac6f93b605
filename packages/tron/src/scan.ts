/**
 * One pass of the deposit scanner, without a database: from where the last pass stood to the solid head, it finds the
 * transfers to and from our addresses and says where to stand next. The caller stores hits and cursor in one transaction and
 * ignores hits it already has (their identity is (txid, position)); each pass reads the last blocks once more.
 *
 * Guarantees: only solid blocks give hits. The cursor moves only over blocks that were proven present, on the chain
 * of the last cursor, and whose every hit was read and agreed upon. On anything else the pass stops with a reason, no
 * hits and no new cursor, and can simply be run again.
 */
import type { BlockRef, Head } from './answers.ts'
import { transfersByBlock } from './block-transfers.ts'
import type { Hits, Search, Span } from './hit.ts'
import { transfersByLog } from './log-transfers.ts'
import { ReadError, type Stopped, stopped } from './read-error.ts'

export interface ScanLimits {
  /** How far each pass reads back behind the cursor. */
  readonly overlapBlocks: number
  /** Blocks per pass, the overlap included, when the node's log index is asked. */
  readonly maxBlocks: number
  /** The same when whole blocks are read: two or more requests for each. */
  readonly maxWholeBlocks: number
  /** How long a pass reads whole blocks: one that takes longer than its caller's lease would begin again for ever. */
  readonly maxWholeMs: number
  /** Transactions per pass; the rest waits for the next one. */
  readonly maxTransactions: number
  /** With more addresses than that, reading whole blocks costs less than asking for each: they are not listed. */
  readonly maxListed: number
}

export const scanLimits: ScanLimits = {
  overlapBlocks: 40,
  maxBlocks: 5000,
  maxWholeBlocks: 400,
  maxWholeMs: 60_000,
  maxTransactions: 200,
  maxListed: 5000,
}

export interface ScanInput extends Search {
  /** Null: nothing was ever scanned. The pass then only answers the head; do this before the first address is shown. */
  readonly cursor: BlockRef | null
  readonly limits?: Partial<ScanLimits>
  /**
   * `logs` asks the node's log index. `blocks` reads every block whole: for nodes without JSON-RPC, or whose index
   * has holes. By default the number of addresses decides.
   */
  readonly method?: 'logs' | 'blocks'
}

export interface Scanned extends Hits {
  readonly kind: 'scanned'
  readonly cursor: BlockRef
  /** The solid head; above the cursor when there is more to read at once. */
  readonly head: Head
}

export async function scan(input: ScanInput): Promise<Scanned | Stopped> {
  try {
    return await pass(input)
  } catch (error) {
    return stopped(error)
  }
}

const refOf = ({ height, blockId }: BlockRef): BlockRef => ({ height, blockId })

async function pass(input: ScanInput): Promise<Scanned> {
  const { reader, cursor } = input
  const head = await reader.head('solid')
  if (cursor === null)
    return { kind: 'scanned', hits: [], sweeps: [], refused: [], cursor: refOf(head), head }
  if (head.height < cursor.height)
    throw new ReadError('lagging', `solid head ${head.height} is behind the cursor ${cursor.height}`)
  if (head.height === cursor.height) {
    if (head.blockId !== cursor.blockId)
      throw new ReadError('discontinuity', `block ${cursor.height} is not the one seen before`)
    return { kind: 'scanned', hits: [], sweeps: [], refused: [], cursor, head }
  }

  const limits = { ...scanLimits, ...input.limits }
  const listed = await listFor(input, limits)
  const span = spanOf(cursor, head, limits, listed ? limits.maxBlocks : limits.maxWholeBlocks)
  const found = listed
    ? await transfersByLog(input, span, listed, limits.maxTransactions)
    : await transfersByBlock(input, span, limits.maxWholeMs)
  if (found.end.height === head.height && found.end.blockId !== head.blockId)
    throw new ReadError('disputed', `two answers disagree on solid block ${head.height}`)
  const { end, ...hits } = found
  return { kind: 'scanned', ...hits, cursor: end, head }
}

/** The addresses to ask the log index for; null when whole blocks are to be read. */
async function listFor({ method, watched }: ScanInput, { maxListed }: ScanLimits) {
  if (method === 'blocks') return null
  return watched.list(method === 'logs' ? Number.MAX_SAFE_INTEGER : maxListed)
}

function spanOf(cursor: BlockRef, head: BlockRef, limits: ScanLimits, maxBlocks: number): Span {
  const from = Math.max(0, cursor.height + 1 - limits.overlapBlocks)
  // At least one new block, however the limits are set.
  const to = Math.min(head.height, Math.max(from + maxBlocks - 1, cursor.height + 1))
  return { anchor: cursor, from, to }
}

/**
 * Transfers found by reading every block whole. It costs requests by the block but none by the address, and proves
 * itself: the blocks are a chain from the last cursor on, and an info is required for every transaction in them.
 */
import { addressOfWord, transferTopic } from './abi.ts'
import { type Address20, isAddress, parseAddress } from './address.ts'
import type { Block, BlockRef, Transaction, TransactionInfo } from './answers.ts'
import { type Found, type Hits, type Search, type Span, hitsOf, together } from './hit.ts'
import { ReadError } from './read-error.ts'
import { readTransfers } from './transfers.ts'

const blocksAtOnce = 50
const nothing: Hits = { hits: [], sweeps: [], refused: [] }

/** Reads as far as it can in `maxMs`: a failure after the first new block ends the pass there and keeps what was read. */
export async function transfersByBlock(search: Search, span: Span, maxMs: number): Promise<Found> {
  const endMs = performance.now() + maxMs
  const found: Found[] = []
  const isFurther = () => (found.at(-1)?.end.height ?? 0) > span.anchor.height
  const isOver = () => isFurther() && performance.now() >= endMs
  try {
    for (let from = span.from; from <= span.to && !isOver(); from += blocksAtOnce) {
      for (const block of await search.reader.blocks(from, Math.min(from + blocksAtOnce - 1, span.to))) {
        checkPlace(block, found.at(-1)?.end, span.anchor)
        found.push(await readBlock(search, block))
        if (isOver()) break
      }
    }
  } catch (error) {
    if (!(error instanceof ReadError) || !isFurther()) throw error
  }
  const last = found.at(-1)
  if (!last) throw new ReadError('lagging', 'no block to read')
  return {
    ...together(found),
    end: last.end,
  }
}

function checkPlace(block: Block, last: BlockRef | undefined, anchor: BlockRef): void {
  if (last && block.parentId !== last.blockId)
    throw new ReadError('disputed', `block ${block.height} does not follow the one before it`)
  if (!continues(block, anchor))
    throw new ReadError('discontinuity', `block ${anchor.height} is not the one seen before`)
}

function continues(block: Block, anchor: BlockRef): boolean {
  if (block.height === anchor.height) return block.blockId === anchor.blockId
  return block.height !== anchor.height + 1 || block.parentId === anchor.blockId
}

async function readBlock(search: Search, block: Block): Promise<Found> {
  const end = { height: block.height, blockId: block.blockId }
  if (block.transactions.length === 0) return { ...nothing, end }
  const infos = new Map((await search.reader.blockInfos(block.height)).map(info => [info.txid, info]))
  const unread = block.transactions
    .map(transaction => ({ transaction, info: infoOf(transaction, infos, block) }))
    .filter(({ info }) => hasLogOf(info, search.contract) && !search.isKnown?.(info.txid))
  const parties = new Set(unread.flatMap(({ info }) => partiesOf(info)))
  const ours = parties.size > 0 ? await search.watched.oursAmong([...parties]) : parties
  const found = unread.map(({ transaction, info }) => readTransaction(search, block, transaction, info, ours))
  return { ...together(found), end }
}

function infoOf(
  { txid }: Transaction,
  infos: ReadonlyMap<string, TransactionInfo>,
  block: Block,
): TransactionInfo {
  const info = infos.get(txid)
  if (!info) throw new ReadError('lagging', `transaction ${txid} has no info yet`)
  if (info.height !== block.height)
    throw new ReadError('disputed', `transaction ${txid} is in block ${block.height} and in ${info.height}`)
  return info
}

function readTransaction(
  { contract }: Search,
  { blockId }: Block,
  transaction: Transaction,
  info: TransactionInfo,
  ours: ReadonlySet<Address20>,
): Hits {
  const isOurs = (address: Address20) => ours.has(address)
  const reading = readTransfers(info, transaction, { contract, isOurs })
  if (reading.refused.some(each => each.reason === 'forged'))
    throw new ReadError('disputed', `transaction ${info.txid} is not what was signed`)
  return hitsOf(reading, info.txid, blockId, isOurs)
}

function hasLogOf(info: TransactionInfo, contract: string): boolean {
  const contract20 = parseAddress(contract)
  return info.logs.some(log => isAddress(log.address) && parseAddress(log.address) === contract20)
}

/** Whoever a transfer log names, whatever token it is of. */
function partiesOf(info: TransactionInfo): Address20[] {
  return info.logs
    .filter(log => log.topics[0] === transferTopic)
    .flatMap(log => [log.topics[1], log.topics[2]])
    .map(topic => addressOfWord(topic ?? ''))
    .filter(address => address !== null)
}

/**
 * Transfers found by reading every block whole. It costs requests by the block but none by the address, and proves
 * itself: the blocks are a chain from the last cursor on, and an info is required for every transaction in them.
 */
import { isAddress, parseAddress } from './address.ts'
import type { Block, TransactionInfo } from './answers.ts'
import { ReadError } from './read-error.ts'
import type { ChainReader } from './reader.ts'
import type { Found, Hit, RefusedHit, ScanInput, Span } from './scan.ts'
import { type TransferPolicy, readTransfers } from './transfers.ts'

const blocksAtOnce = 50

export async function transfersByBlock(input: ScanInput, span: Span): Promise<Found> {
  const policy = { contract: input.contract, isOurs: input.watched.isOurs }
  const hits: Hit[] = []
  const refused: RefusedHit[] = []
  let last: Block | null = null
  for (let from = span.from; from <= span.to; from += blocksAtOnce) {
    for (const block of await input.reader.blocks(from, Math.min(from + blocksAtOnce - 1, span.to))) {
      if (last && block.parentId !== last.blockId)
        throw new ReadError('disputed', `block ${block.height} does not follow the one before it`)
      if (block.height === span.anchor.height && block.blockId !== span.anchor.blockId)
        throw new ReadError('discontinuity', `block ${block.height} is not the one seen before`)
      last = block
      const found = await readBlock(input.reader, block, policy, input.isKnown)
      hits.push(...found.hits)
      refused.push(...found.refused)
    }
  }
  if (!last) throw new ReadError('lagging', 'no block to read')
  return { hits, refused, end: { height: last.height, blockId: last.blockId } }
}

async function readBlock(
  reader: ChainReader,
  block: Block,
  policy: TransferPolicy,
  isKnown: ScanInput['isKnown'],
): Promise<{ hits: Hit[]; refused: RefusedHit[] }> {
  const hits: Hit[] = []
  const refused: RefusedHit[] = []
  if (block.transactions.length === 0) return { hits, refused }
  const infos = new Map((await reader.blockInfos(block.height)).map(info => [info.txid, info]))
  for (const transaction of block.transactions) {
    const info = infos.get(transaction.txid)
    if (!info) throw new ReadError('lagging', `transaction ${transaction.txid} has no info yet`)
    if (info.height !== block.height)
      throw new ReadError('disputed', `transaction ${info.txid} is in block ${block.height} and in ${info.height}`)
    if (!hasLogOf(info, policy) || isKnown?.(info.txid)) continue
    const reading = readTransfers(info, transaction, policy)
    if (reading.refused.some(each => each.reason === 'forged'))
      throw new ReadError('disputed', `transaction ${info.txid} is not what was signed`)
    hits.push(...reading.accepted.map(transfer => ({ ...transfer, blockId: block.blockId })))
    const ours = reading.refused.filter(each => each.to20 !== null && policy.isOurs(each.to20))
    refused.push(...ours.map(each => ({ ...each, txid: info.txid })))
  }
  return { hits, refused }
}

const hasLogOf = (info: TransactionInfo, policy: TransferPolicy): boolean =>
  info.logs.some(log => isAddress(log.address) && parseAddress(log.address) === policy.contract)

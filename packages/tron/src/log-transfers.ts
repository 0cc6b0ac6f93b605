/**
 * Transfers found through the node's log index. The index only says where to look: each transaction is then read from
 * the solid side and judged by its own logs. Where the two disagree, nobody knows which is right, and the pass stops.
 */
import type { Address20 } from './address.ts'
import { type FoundLog, provenLogs } from './proven-logs.ts'
import { ReadError } from './read-error.ts'
import type { ChainReader, TransactionFacts, View } from './reader.ts'
import type { Found, Hit, RefusedHit, ScanInput, Span } from './scan.ts'
import { type Reading, type TransferPolicy, readTransfers } from './transfers.ts'

const readAtOnce = 4

export async function transfersByLog(
  input: ScanInput,
  span: Span,
  recipients: readonly Address20[],
  maxTransactions: number,
): Promise<Found> {
  const { reader, contract, watched } = input
  const { logs, end } = await provenLogs(reader, { contract, recipients, ...span })
  const unread = logs.filter(log => !input.isKnown?.(log.txid))
  const reach = lastWithin(unread, maxTransactions) ?? end
  const found = await readFound(
    reader,
    'solid',
    unread.filter(log => log.height <= reach.height),
    { contract, isOurs: watched.isOurs },
  )
  return { ...found, end: reach.height < end.height ? { height: reach.height, blockId: reach.blockId } : end }
}

/**
 * The last block that may be read in full within the bound, when there is more than that; null when all may. A block
 * is never cut, so one that holds more than the bound is still read whole.
 */
function lastWithin(logs: readonly FoundLog[], maxTransactions: number): FoundLog | null {
  const seen = new Set<string>()
  let last: FoundLog | null = null
  for (const log of logs.toSorted((a, b) => a.height - b.height)) {
    if (seen.size >= maxTransactions && !seen.has(log.txid) && log.height > (last?.height ?? log.height)) return last
    seen.add(log.txid)
    last = log
  }
  return null
}

/** Reads every transaction of the logs and holds the two against each other. */
export async function readFound(
  reader: ChainReader,
  view: View,
  logs: readonly FoundLog[],
  policy: TransferPolicy,
): Promise<{ readonly hits: readonly Hit[]; readonly refused: readonly RefusedHit[] }> {
  const byTransaction = Map.groupBy(logs, log => log.txid)
  const hits: Hit[] = []
  const refused: RefusedHit[] = []
  const entries = [...byTransaction]
  for (let start = 0; start < entries.length; start += readAtOnce) {
    const readings = entries.slice(start, start + readAtOnce).map(async ([txid, found]) => {
      const facts = await reader.facts(txid, view)
      if (!facts) throw new ReadError('lagging', `transaction ${txid} is not there yet`)
      return agreed(facts, found, policy)
    })
    for (const { reading, blockId, txid } of await Promise.all(readings)) {
      hits.push(...reading.accepted.map(transfer => ({ ...transfer, blockId })))
      refused.push(...reading.refused.map(each => ({ ...each, txid })))
    }
  }
  return { hits, refused }
}

function agreed(
  facts: TransactionFacts,
  found: readonly FoundLog[],
  policy: TransferPolicy,
): { reading: Reading; blockId: string; txid: string } {
  const { info, transaction } = facts
  const { blockId } = found[0]!
  const reading = readTransfers(info, transaction, policy)
  const paid = new Set(reading.accepted.map(transfer => `${transfer.to20}:${transfer.amount}`))
  const isNothing = (to20: Address20) =>
    reading.refused.some(each => each.reason === 'zero_value' && each.to20 === to20)
  const isAgreed = found.every(
    log =>
      log.height === info.height &&
      log.blockId === blockId &&
      (paid.has(`${log.to20}:${log.amount}`) || (log.amount === 0n && isNothing(log.to20))),
  )
  if (!isAgreed)
    throw new ReadError('disputed', `transaction ${info.txid}: the log index and the transaction differ`)
  return { reading, blockId, txid: info.txid }
}

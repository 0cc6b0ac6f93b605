/**
 * Transfers found through the node's log index. The index only says where to look: each transaction is then read from
 * the solid side and judged by its own logs. Where the two disagree, nobody knows which is right, and the pass stops.
 */
import type { Address20 } from './address.ts'
import type { BlockRef } from './answers.ts'
import { type Found, type Hit, type Hits, type Search, type Span, hitsOf, together } from './hit.ts'
import { type FoundLog, provenLogs } from './proven-logs.ts'
import { ReadError } from './read-error.ts'
import type { ChainReader, TransactionFacts, View } from './reader.ts'
import { type TransferPolicy, readTransfers } from './transfers.ts'

const readAtOnce = 4
const sides = ['recipient', 'sender'] as const

/**
 * When a transaction can't be read, what was read up to the block before it still counts: a provider that fails one
 * request in fifty must not keep a busy pass from ever ending.
 */
export async function transfersByLog(
  search: Search,
  span: Span,
  addresses: readonly Address20[],
  maxTransactions: number,
): Promise<Found> {
  const { reader, contract } = search
  const listed = new Set(addresses)
  const { logs, end } = await provenLogs(reader, { contract, addresses, sides, ...span })
  // Anyone may send nothing from our addresses, as often as they like: it is not looked at.
  const isNothing = (log: FoundLog) => log.amount === 0n && !listed.has(log.to20)
  const unread = logs.filter(log => !isNothing(log) && !search.isKnown?.(log.txid))
  // Logs of the overlap do not count against the bound: the cursor must never be cut back.
  const isNew = (log: FoundLog) => log.height > span.anchor.height
  const cut = lastWithin(unread.filter(isNew), maxTransactions)
  const within = unread.filter(log => cut === null || log.height <= cut.height)
  const read = await readFound(reader, 'solid', within, {
    contract,
    isOurs: address => listed.has(address),
  })
  const { failure, ...hits } = read
  if (failure === null) return { ...hits, end: cut ? refOf(cut) : end }
  const { error, height } = failure
  const last = lowestFirst(within.filter(log => isNew(log) && log.height < height)).at(-1)
  if (!last) throw error
  const isWithin = (hit: Hit) => hit.height <= last.height
  return {
    hits: hits.hits.filter(isWithin),
    sweeps: hits.sweeps.filter(isWithin),
    refused: hits.refused,
    end: refOf(last),
  }
}

const refOf = ({ height, blockId }: FoundLog): BlockRef => ({ height, blockId })
const lowestFirst = (logs: readonly FoundLog[]) => logs.toSorted((a, b) => a.height - b.height)

/**
 * A log of the last block that can be read in full within the bound; null when all blocks can. A block is never cut, so
 * one that holds more than the bound is still read whole.
 */
function lastWithin(logs: readonly FoundLog[], maxTransactions: number): FoundLog | null {
  const seen = new Set<string>()
  let last: FoundLog | null = null
  for (const log of lowestFirst(logs)) {
    if (last && seen.size >= maxTransactions && log.height > last.height) return last
    seen.add(log.txid)
    last = log
  }
  return null
}

/** What was read of the transactions, lowest block first, up to the first that could not be read. */
interface ReadFound extends Hits {
  readonly failure: { readonly error: ReadError; readonly height: number } | null
}

/** Reads every transaction of the logs and compares the two. */
export async function readFound(
  reader: ChainReader,
  view: View,
  logs: readonly FoundLog[],
  policy: TransferPolicy,
): Promise<ReadFound> {
  const read: Hits[] = []
  const entries = [...Map.groupBy(lowestFirst(logs), log => log.txid)]
  for (let start = 0; start < entries.length; start += readAtOnce) {
    const group = entries.slice(start, start + readAtOnce)
    const results = await Promise.all(
      group.map(([txid, found]) => readOne(reader, view, txid, found, policy)),
    )
    for (const [index, result] of results.entries()) {
      if (result instanceof ReadError)
        return { ...together(read), failure: { error: result, height: group[index]![1][0]!.height } }
      read.push(result)
    }
  }
  return { ...together(read), failure: null }
}

async function readOne(
  reader: ChainReader,
  view: View,
  txid: string,
  found: readonly FoundLog[],
  policy: TransferPolicy,
): Promise<Hits | ReadError> {
  try {
    const facts = await reader.facts(txid, view)
    return facts
      ? agreed(facts, found, policy)
      : new ReadError('lagging', `transaction ${txid} is not there yet`)
  } catch (error) {
    if (error instanceof ReadError) return error
    throw error
  }
}

function agreed(facts: TransactionFacts, found: readonly FoundLog[], policy: TransferPolicy): Hits {
  const { info, transaction } = facts
  const { blockId } = found[0]!
  const reading = readTransfers(info, transaction, policy)
  const paid = new Set(reading.accepted.map(transfer => `${transfer.to20}:${transfer.amount}`))
  const isNothing = (to20: Address20) =>
    reading.refused.some(each => each.reason === 'zero_value' && each.to20 === to20)
  const sent = new Set(reading.sent.map(each => `${each.from20}:${each.to20}:${each.amount}`))
  const isIn = ({ to20, amount }: FoundLog) =>
    !policy.isOurs(to20) || paid.has(`${to20}:${amount}`) || (amount === 0n && isNothing(to20))
  const isOut = ({ from20, to20, amount }: FoundLog) =>
    amount === 0n || !policy.isOurs(from20) || sent.has(`${from20}:${to20}:${amount}`)
  const isAgreed = found.every(
    log => log.height === info.height && log.blockId === blockId && isIn(log) && isOut(log),
  )
  if (!isAgreed)
    throw new ReadError('disputed', `transaction ${info.txid}: the log index and the transaction differ`)
  return hitsOf(reading, info.txid, blockId, policy.isOurs)
}

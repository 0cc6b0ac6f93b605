/**
 * Transfer logs of one token to and from given addresses, over a range of blocks, with the proof that the node which answered
 * had the whole range, on the chain we follow, and for good. An empty list means "nothing" only then: many nodes stand
 * behind one address, and one that lags answers with an empty list too.
 *
 * The proof travels in the same batch: the block we last stood on, the last block of the range and the node's own
 * final block. Ids are hashes over all that went before, so the two ids settle every block between.
 *
 * Not covered: a node whose log index was switched on late has the blocks and not their logs. `probeLogIndex` finds
 * such nodes.
 */
import { addressOfWord, addressWord, transferTopic, uintOfWord } from './abi.ts'
import { type Address20, parseAddress } from './address.ts'
import { type BlockRef, count, hash, hex, json, list, text } from './answers.ts'
import type { RpcCall } from './json-rpc.ts'
import { ReadError } from './read-error.ts'
import type { ChainReader } from './reader.ts'

export type Side = 'recipient' | 'sender'

export interface LogQuery {
  readonly contract: string
  readonly addresses: readonly Address20[]
  /** As what they are asked for; one call of the batch for each. */
  readonly sides: readonly Side[]
  readonly from: number
  /** Included. */
  readonly to: number
  /** The block the caller's chain is known to contain; at or below `to`. */
  readonly anchor: BlockRef
}

/** A log as the node's index has it: where to look, not yet a transfer to credit. */
export interface FoundLog {
  readonly txid: string
  readonly height: number
  readonly blockId: string
  readonly from20: Address20
  readonly to20: Address20
  readonly amount: bigint
}

/** Bounds that nodes set; asking for less is always allowed. */
export const nodeLimits = { addresses: 1000, blocks: 5000 }

/** The logs, and the last block of the range. */
export async function provenLogs(
  reader: ChainReader,
  query: LogQuery,
): Promise<{ readonly logs: readonly FoundLog[]; readonly end: BlockRef }> {
  const logs: FoundLog[] = []
  let end: BlockRef | null = null
  for (const addresses of chunks(query.addresses, nodeLimits.addresses)) {
    const part = await provenPart(reader, { ...query, addresses })
    if (end && end.blockId !== part.end.blockId)
      throw new ReadError('disputed', `two answers disagree on block ${query.to}`)
    end = part.end
    logs.push(...part.logs)
  }
  return { logs, end: end! }
}

/** Halves the range, and then the addresses, until the node finds the answer small enough. */
async function provenPart(
  reader: ChainReader,
  query: LogQuery,
): Promise<{ logs: readonly FoundLog[]; end: BlockRef }> {
  try {
    return await ask(reader, query)
  } catch (error) {
    if (!(error instanceof ReadError) || error.failure !== 'too_large') throw error
    const halves = halve(query)
    if (!halves) throw error
    const [first, second] = [await provenPart(reader, halves[0]), await provenPart(reader, halves[1])]
    return { logs: [...first.logs, ...second.logs], end: second.end }
  }
}

function halve(query: LogQuery): readonly [LogQuery, LogQuery] | null {
  const { from, to, addresses } = query
  if (to > from) {
    const middle = Math.floor((from + to) / 2)
    return [
      { ...query, to: middle },
      { ...query, from: middle + 1 },
    ]
  }
  if (addresses.length < 2) return null
  const middle = addresses.length >> 1
  return [
    { ...query, addresses: addresses.slice(0, middle) },
    { ...query, addresses: addresses.slice(middle) },
  ]
}

async function ask(
  reader: ChainReader,
  query: LogQuery,
): Promise<{ logs: readonly FoundLog[]; end: BlockRef }> {
  const { anchor, to } = query
  // Without an address the filter would match everyone's transfers; the proof is still wanted.
  const sides = query.addresses.length > 0 ? query.sides : []
  const [finalBlock, anchorBlock, endBlock, ...answers] = await reader.rpc([
    ...['finalized', quantity(anchor.height), quantity(to)].map(blockCall),
    ...sides.map(side => logsCall(query, side, quantity(to))),
  ])
  const finalHeight = parseRpcBlock(finalBlock)?.height ?? -1
  const found = parseRpcBlock(anchorBlock)
  const end = parseRpcBlock(endBlock)
  if (!found || !end || finalHeight < Math.max(to, anchor.height))
    throw new ReadError('lagging', `the node is final up to ${finalHeight}, not ${to}`)
  if (found.height !== anchor.height || end.height !== to) throw new ReadError('malformed', 'another block')
  if (found.blockId !== anchor.blockId)
    throw new ReadError('discontinuity', `block ${anchor.height} is not the one seen before`)
  return { logs: sides.flatMap((side, index) => parseLogs(answers[index], side, query)), end }
}

export const quantity = (height: number): string => `0x${height.toString(16)}`

export const blockCall = (block: string): RpcCall => ({
  method: 'eth_getBlockByNumber',
  params: [block, false],
})

type Asked = Pick<LogQuery, 'contract' | 'addresses' | 'from' | 'to'>

export const logsCall = (query: Omit<Asked, 'to'>, side: Side, toBlock: string): RpcCall => ({
  method: 'eth_getLogs',
  params: [
    {
      fromBlock: quantity(query.from),
      toBlock,
      address: `0x${parseAddress(query.contract)}`,
      topics: [`0x${transferTopic}`, ...topicsOf(side, query.addresses)],
    },
  ],
})

function topicsOf(side: Side, addresses: readonly Address20[]): unknown[] {
  const words = addresses.map(address => `0x${addressWord(address)}`)
  return side === 'sender' ? [words] : [null, words]
}

export function parseRpcBlock(value: unknown): BlockRef | null {
  if (value === null) return null
  const block = json(value, 'block')
  return { height: count(block.number, 'block height'), blockId: hash(block.hash, 'block id') }
}

/** A log outside the question means that the node did not filter as asked: then nothing in its answer counts. */
export function parseLogs(answer: unknown, side: Side, query: Asked): readonly FoundLog[] {
  const asked = new Set(query.addresses)
  const contract = parseAddress(query.contract)
  return list(answer, 'logs').map(each => {
    const log = json(each, 'log')
    const [topic, sender, recipient] = list(log.topics, 'topics').map(word => hex(word, 'topic'))
    const height = count(log.blockNumber, 'block height')
    const from20 = addressOfWord(sender ?? '')
    const to20 = addressOfWord(recipient ?? '')
    const party = side === 'sender' ? from20 : to20
    const amount = uintOfWord(hex(log.data, 'log data'))
    const isAsked = topic === transferTopic && parseAddress(text(log.address, 'log address')) === contract
    if (!isAsked || party === null || !asked.has(party) || height < query.from || height > query.to)
      throw new ReadError('malformed', 'eth_getLogs: a log that was not asked for')
    if (amount === null || from20 === null || to20 === null)
      throw new ReadError('malformed', 'eth_getLogs: a transfer without its parties or its amount')
    const txid = hash(log.transactionHash, 'transaction id')
    return { txid, height, blockId: hash(log.blockHash, 'block id'), from20, to20, amount }
  })
}

/** At least one chunk, so that an empty list is still asked about. */
export function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const parts: T[][] = []
  for (let start = 0; start === 0 || start < items.length; start += size)
    parts.push(items.slice(start, start + size))
  return parts
}

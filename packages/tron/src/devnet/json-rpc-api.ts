/** `/jsonrpc`: the few methods a deposit scanner needs, singly or in batches, with a node's own bounds. */
import { type Json, isJson } from '../answers.ts'
import type { ChainBlock } from './block.ts'
import type { EmittedLog } from './machine.ts'
import type { Sight } from './wallet-api.ts'

export interface RpcBounds {
  readonly maxBlocks: number
  readonly maxTopics: number
  readonly maxResults: number
  readonly maxBatch: number
}

export const rpcBounds: RpcBounds = { maxBlocks: 5000, maxTopics: 1000, maxResults: 10_000, maxBatch: 100 }

export interface RpcRequest extends Sight {
  readonly bounds: RpcBounds
  /** The log index was never built: filtered logs come back empty. */
  readonly isIndexMissing: boolean
  /** Every method answers null. */
  readonly isBlank: boolean
}

class RpcError extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export function answerRpc(request: RpcRequest, body: unknown): unknown {
  if (!Array.isArray(body)) return answerOne(request, body)
  if (body.length > request.bounds.maxBatch)
    return errorJson(
      null,
      -32005,
      `Batch size ${body.length} exceeds the limit of ${request.bounds.maxBatch}`,
    )
  if (body.length === 0) return errorJson(null, -32600, 'empty batch')
  return body.map(each => answerOne(request, each))
}

const errorJson = (id: unknown, code: number, message: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, data: '{}' },
})

function answerOne(request: RpcRequest, body: unknown): unknown {
  if (!isJson(body)) return errorJson(null, -32600, 'invalid request')
  try {
    const params = Array.isArray(body.params) ? body.params : []
    const result = request.isBlank ? null : run(request, String(body.method), params)
    return { jsonrpc: '2.0', id: body.id, result }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return errorJson(body.id, error.code, error.message)
  }
}

function run(request: RpcRequest, method: string, params: readonly unknown[]): unknown {
  switch (method) {
    case 'eth_blockNumber':
      return quantity(request.head)
    case 'eth_chainId':
      return '0x0'
    case 'eth_getBlockByNumber': {
      const height = heightOf(request, params[0])
      const block = height <= request.head ? request.node.chain.block(height) : undefined
      return block ? blockJson(block) : null
    }
    case 'eth_getLogs':
      return logs(request, isJson(params[0]) ? params[0] : {})
    default:
      throw new RpcError(-32601, `the method ${method} does not exist/is not available`)
  }
}

const quantity = (value: number) => `0x${value.toString(16)}`

function heightOf(request: RpcRequest, block: unknown): number {
  if (block === 'latest') return request.head
  if (block === 'finalized') return request.solid
  if (block === 'earliest') return 0
  if (typeof block !== 'string' || !/^0x[0-9a-f]{1,13}$/i.test(block))
    throw new RpcError(-32602, 'invalid block number')
  return Number.parseInt(block, 16)
}

const blockJson = (block: ChainBlock) => ({
  number: quantity(block.height),
  hash: `0x${block.id}`,
  parentHash: `0x${block.parentId}`,
  timestamp: quantity(Math.floor(block.timeMs / 1000)),
  transactions: block.transactions.map(each => `0x${each.transaction.txid}`),
})

function logs(request: RpcRequest, filter: Json): unknown {
  const { bounds, head, node } = request
  const from = filter.fromBlock === undefined ? head : heightOf(request, filter.fromBlock)
  const to =
    filter.toBlock === undefined || filter.toBlock === 'latest' ? head : heightOf(request, filter.toBlock)
  const isOpen = filter.toBlock === undefined || filter.toBlock === 'latest'
  if (!isOpen && from > to) throw new RpcError(-32602, 'please verify: fromBlock <= toBlock')
  if (Math.min(to, head) - from > bounds.maxBlocks)
    throw new RpcError(-32602, `exceed max block range: ${bounds.maxBlocks}`)
  const matches = readFilter(filter, bounds)
  if (request.isIndexMissing && (filter.address !== undefined || filter.topics !== undefined)) return []
  const found: unknown[] = []
  for (let height = from; height <= Math.min(to, head); height++) {
    collect(node.chain.block(height)!, matches, found)
    if (found.length > bounds.maxResults)
      throw new RpcError(-32005, `query returned more than ${bounds.maxResults} results`)
  }
  return found
}

function collect(block: ChainBlock, matches: (log: EmittedLog) => boolean, found: unknown[]): void {
  let logIndex = 0
  block.transactions.forEach(({ transaction, execution }, transactionIndex) => {
    for (const log of execution.logs) {
      if (matches(log))
        found.push({
          address: `0x${log.address}`,
          blockHash: `0x${block.id}`,
          blockNumber: quantity(block.height),
          data: `0x${log.data}`,
          logIndex: quantity(logIndex),
          removed: false,
          topics: log.topics.map(topic => `0x${topic}`),
          transactionHash: `0x${transaction.txid}`,
          transactionIndex: quantity(transactionIndex),
        })
      logIndex++
    }
  })
}

function readFilter(filter: Json, bounds: RpcBounds): (log: EmittedLog) => boolean {
  const addresses = filter.address === undefined ? null : oneOrMany(filter.address, bounds)
  const topics = (Array.isArray(filter.topics) ? filter.topics : []).map(topic =>
    topic === null ? null : oneOrMany(topic, bounds),
  )
  return log =>
    (addresses === null || addresses.has(log.address)) &&
    topics.every((wanted, index) => {
      const topic = log.topics[index]
      return topic !== undefined && (wanted === null || wanted.has(topic))
    })
}

function oneOrMany(value: unknown, bounds: RpcBounds): ReadonlySet<string> {
  const values = Array.isArray(value) ? value : [value]
  if (values.length > bounds.maxTopics) throw new RpcError(-32602, `exceed max topics: ${bounds.maxTopics}`)
  return new Set(values.map(each => String(each).toLowerCase().replace(/^0x/, '')))
}

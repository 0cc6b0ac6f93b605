/**
 * A client of a TRON node over HTTP. It answers with typed facts, with null for "this node does not know (yet)", or
 * throws a ReadError; it never retries, never caches and never takes an error for data. Null is not "no": a lagging
 * node, or another node behind the same address, gives it for a transaction that exists.
 */
import { type Address20, toHex41 } from './address.ts'
import {
  type Block,
  type Head,
  type Transaction,
  type TransactionInfo,
  hex,
  isEmpty,
  json,
  list,
  parseBlock,
  parseHead,
  parseTransaction,
  parseTransactionInfo,
} from './answers.ts'
import { type RpcCall, createRpc } from './json-rpc.ts'
import { ReadError } from './read-error.ts'
import { createWire, type Wire } from './wire.ts'

/** `solid`: final, as the chain itself counts it. `latest`: may still vanish. */
export type View = 'solid' | 'latest'

export interface ReaderOptions {
  /** Where `/wallet/…` is served, and the other two unless they are given. */
  readonly url: string
  /** Where `/walletsolidity/…` is served; your own node serves it on a separate port. */
  readonly solidUrl?: string
  /** The full address of the JSON-RPC endpoint; by default `url` + `/jsonrpc`. */
  readonly jsonRpcUrl?: string
  /** Sent as `TRON-PRO-API-KEY`, to the host of `url` alone: another address that was configured gets none. */
  readonly apiKey?: string
  readonly timeoutMs?: number
  readonly maxBytes?: number
  readonly fetch?: typeof fetch
}

export interface TransactionFacts {
  readonly info: TransactionInfo
  readonly transaction: Transaction
}

export interface ChainReader {
  head(view: View): Promise<Head>
  block(height: number, view: View): Promise<Block | null>
  /** Solid blocks `from … to`, both included, at most 100; each the parent of the next. */
  blocks(from: number, to: number): Promise<readonly Block[]>
  /** Infos of every transaction of a solid block; empty for an empty block and for one the node does not have. */
  blockInfos(height: number): Promise<readonly TransactionInfo[]>
  facts(txid: string, view: View): Promise<TransactionFacts | null>
  /** A constant call; the returned bytes in hex. `data` is selector and arguments. */
  call(contract: Address20, data: string, view: View): Promise<string>
  /** One request, so that one node answers all of it. */
  rpc(calls: readonly RpcCall[]): Promise<readonly unknown[]>
}

const defaults = { timeoutMs: 10_000, maxBytes: 32 * 1024 * 1024 }
const noAddress: Address20 = '0'.repeat(40)

export function createReader(options: ReaderOptions): ChainReader {
  const wireWith = (apiKey: string | null) =>
    createWire({
      timeoutMs: options.timeoutMs ?? defaults.timeoutMs,
      maxBytes: options.maxBytes ?? defaults.maxBytes,
      apiKey,
      fetch: options.fetch ?? fetch,
    })
  const [keyed, bare] = [wireWith(options.apiKey ?? null), wireWith(null)]
  const wire: Wire = (url, label, body) => (isSameHost(url, options.url) ? keyed : bare)(url, label, body)
  const base = trimSlash(options.url)
  const solidBase = trimSlash(options.solidUrl ?? base)
  const ask = (view: View, method: string, body: unknown): Promise<unknown> => {
    const path = `${view === 'solid' ? 'walletsolidity' : 'wallet'}/${method}`
    return wire(`${view === 'solid' ? solidBase : base}/${path}`, path, body)
  }

  return {
    async head(view) {
      try {
        return parseHead(await ask(view, 'getblock', { detail: false }))
      } catch (error) {
        if (!(error instanceof ReadError) || error.failure !== 'refused') throw error
        // Older nodes have only this one, which sends the whole block, hundreds of kilobytes, for its id.
        return parseHead(await ask(view, 'getnowblock', {}))
      }
    },

    async block(height, view) {
      const block = parseBlock(await ask(view, 'getblockbynum', { num: height }))
      if (block && block.height !== height) throw new ReadError('malformed', 'getblockbynum: another block')
      return block
    },

    async blocks(from, to) {
      const answer = await ask('solid', 'getblockbylimitnext', { startNum: from, endNum: to + 1 })
      return chainOf(from, to, list(json(answer, 'blocks').block, 'blocks').map(parseBlock))
    },

    async blockInfos(height) {
      const answer = await ask('solid', 'gettransactioninfobyblocknum', { num: height })
      return list(isEmpty(answer) ? [] : answer, 'transaction infos').flatMap(each => {
        const info = parseTransactionInfo(each)
        return info ? [info] : []
      })
    },

    async facts(txid, view) {
      const info = parseTransactionInfo(
        await ask(view, 'gettransactioninfobyid', { value: txid, visible: false }),
      )
      if (!info) return null
      const transaction = parseTransaction(
        await ask(view, 'gettransactionbyid', { value: txid, visible: false }),
      )
      // Behind a load balancer the second question may reach a node that has not got that far.
      if (!transaction) return null
      if (info.txid !== txid || transaction.txid !== txid)
        throw new ReadError('malformed', 'another transaction than the one asked for')
      return { info, transaction }
    },

    async call(contract, data, view) {
      const answer = json(
        await ask(view, 'triggerconstantcontract', {
          owner_address: toHex41(noAddress),
          contract_address: toHex41(contract),
          data,
        }),
        'constant call',
      )
      const [returned] = list(answer.constant_result, 'constant_result')
      if (json(answer.result, 'result').result !== true || returned === undefined)
        throw new ReadError('refused', 'triggerconstantcontract: the call failed')
      return hex(returned, 'constant_result')
    },

    rpc: createRpc(wire, options.jsonRpcUrl ?? `${base}/jsonrpc`),
  }
}

/** A node that has not got as far as `to` answers with fewer blocks. */
function chainOf(from: number, to: number, blocks: readonly (Block | null)[]): readonly Block[] {
  const chain: Block[] = []
  for (const block of blocks) {
    if (!block || block.height !== from + chain.length || block.height > to)
      throw new ReadError('malformed', 'getblockbylimitnext: other blocks')
    const parent = chain.at(-1)
    if (parent && block.parentId !== parent.blockId)
      throw new ReadError('disputed', `block ${block.height} does not follow the one before it`)
    chain.push(block)
  }
  if (chain.length !== to - from + 1) throw new ReadError('lagging', `no block ${from + chain.length} yet`)
  return chain
}

function isSameHost(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)]
  return a.protocol === b.protocol && a.hostname === b.hostname
}

const trimSlash = (url: string) => url.replace(/\/+$/, '')

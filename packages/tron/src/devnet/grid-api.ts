/**
 * `/v1/…`, the indexed interface that hosted nodes add: a recipient's transfers page by page and a transaction's
 * events. As there, a transfer carries neither its block nor its position, so it identifies nothing; and its token has
 * the name that the token gives itself.
 */
import { addressOfWord, transferTopic } from '../abi.ts'
import { type Address20, parseAddress, toBase58 } from '../address.ts'
import type { ChainBlock } from './block.ts'
import type { EmittedLog } from './machine.ts'
import type { JsonObject } from './present.ts'
import type { Sight } from './wallet-api.ts'

const largestPage = 200

export function accountTransfers(sight: Sight, account: string, query: URLSearchParams): JsonObject {
  const holder = parseAddress(account)
  const limit = Math.min(Number(query.get('limit') ?? 20), largestPage)
  const start = Number(query.get('fingerprint') ?? 0)
  const all = transfers(sight, holder, query)
  const page = all.slice(start, start + limit)
  const next = start + limit < all.length ? { fingerprint: String(start + limit) } : {}
  return { data: page, success: true, meta: { at: sight.node.now(), page_size: page.length, ...next } }
}

function transfers(sight: Sight, holder: Address20, query: URLSearchParams): readonly JsonObject[] {
  const top = query.get('only_confirmed') === 'true' ? sight.solid : sight.head
  const contract = query.get('contract_address')
  const contract20 = contract === null ? null : parseAddress(contract)
  const since = Number(query.get('min_timestamp') ?? 0)
  const found: JsonObject[] = []
  for (let height = top; height >= 0; height--) {
    const block = sight.node.chain.block(height)!
    if (block.timeMs < since) break
    for (const { transaction, execution } of block.transactions)
      for (const log of execution.logs)
        if (isTransfer(log, holder, contract20, query.get('only_to') === 'true'))
          found.push(transferJson(log, transaction.txid, block))
  }
  return found
}

function isTransfer(
  log: EmittedLog,
  holder: Address20,
  contract: Address20 | null,
  onlyTo: boolean,
): boolean {
  const [topic, from, to] = log.topics
  if (topic !== transferTopic || (contract !== null && log.address !== contract)) return false
  return addressOfWord(to ?? '') === holder || (!onlyTo && addressOfWord(from ?? '') === holder)
}

const transferJson = (log: EmittedLog, txid: string, block: ChainBlock): JsonObject => ({
  transaction_id: txid,
  token_info: { symbol: 'USDT', address: toBase58(log.address), decimals: 6, name: 'Tether USD' },
  block_timestamp: block.timeMs,
  from: toBase58(addressOfWord(log.topics[1]!)!),
  to: toBase58(addressOfWord(log.topics[2]!)!),
  type: 'Transfer',
  value: BigInt(`0x${log.data}`).toString(),
})

export function transactionEvents(sight: Sight, txid: string): JsonObject {
  const found = sight.node.chain.find(txid)
  const isSeen = found !== null && found.block.height <= sight.head
  const logs = isSeen ? found.block.transactions[found.index]!.execution.logs : []
  const data = logs.map((log, index) => ({
    block_number: found!.block.height,
    block_timestamp: found!.block.timeMs,
    contract_address: toBase58(log.address),
    event_index: index,
    event_name: log.topics[0] === transferTopic ? 'Transfer' : '',
    result: { ...log.topics.slice(1).map(topic => `0x${topic.slice(24)}`), data: log.data },
    transaction_id: txid,
  }))
  return { data, success: true, meta: { at: sight.node.now(), page_size: data.length } }
}

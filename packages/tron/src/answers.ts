/**
 * What a node says, typed. A node leaves out whatever has its default value (no `log`, no `transactions`, no
 * `receipt.result`), and answers `{}` for what it does not know: that becomes null. Anything else that is not of the
 * expected shape is a ReadError `malformed`. Hex comes out in lower case, without `0x`.
 */
import { ReadError } from './read-error.ts'

export interface BlockRef {
  readonly height: number
  /** 64 hex digits; the first 16 are the height. */
  readonly blockId: string
}

/** The newest block of a view, and when it was made. */
export interface Head extends BlockRef {
  readonly timeMs: number
}

export interface Block extends Head {
  readonly parentId: string
  readonly transactions: readonly Transaction[]
}

export interface Transaction {
  readonly txid: string
  /** The signed bytes: their sha256 is the txid. */
  readonly rawDataHex: string
  /** `TriggerSmartContract`, `TransferContract`, … */
  readonly type: string
  /** `SUCCESS`, `REVERT`, …; null where the node gave none. */
  readonly contractRet: string | null
}

export interface Log {
  /** As the node gave it: 20 or 21 bytes of hex, or base58. */
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

export interface TransactionInfo {
  readonly txid: string
  readonly height: number
  readonly timeMs: number
  /** `FAILED` or null. */
  readonly result: string | null
  /** `SUCCESS`, `REVERT`, `OUT_OF_ENERGY`, …; null for what runs no contract. */
  readonly receiptResult: string | null
  readonly logs: readonly Log[]
}

export type Json = { readonly [key: string]: unknown }

const malformed = (what: string) => new ReadError('malformed', `unexpected ${what} in the answer`)

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isEmpty = (value: unknown): boolean => isJson(value) && Object.keys(value).length === 0

const headerOf = (block: Json) => json(json(block.block_header, 'block header').raw_data, 'block header')

/** The id alone, whatever else the answer has. */
export function parseBlockRef(answer: unknown): BlockRef {
  const block = json(answer, 'block')
  const height = count(headerOf(block).number ?? 0, 'block height')
  const blockId = hash(block.blockID, 'block id')
  if (BigInt(`0x${blockId.slice(0, 16)}`) !== BigInt(height)) throw malformed('block id')
  return { height, blockId }
}

export const parseHead = (answer: unknown): Head => ({
  ...parseBlockRef(answer),
  timeMs: count(headerOf(json(answer, 'block')).timestamp ?? 0, 'block time'),
})

export function parseBlock(answer: unknown): Block | null {
  if (isEmpty(answer)) return null
  const block = json(answer, 'block')
  const header = headerOf(block)
  return {
    ...parseHead(block),
    parentId: hash(header.parentHash, 'parent id'),
    transactions: list(block.transactions, 'transactions').map(parseListedTransaction),
  }
}

function parseListedTransaction(value: unknown): Transaction {
  const transaction = parseTransaction(value)
  if (!transaction) throw malformed('transaction')
  return transaction
}

export function parseTransaction(answer: unknown): Transaction | null {
  if (isEmpty(answer)) return null
  const transaction = json(answer, 'transaction')
  const [contract] = list(json(transaction.raw_data, 'raw_data').contract, 'contract')
  const [ret] = list(transaction.ret, 'ret')
  return {
    txid: hash(transaction.txID, 'txID'),
    rawDataHex: hex(transaction.raw_data_hex, 'raw_data_hex'),
    type: text(json(contract, 'contract').type, 'contract type'),
    contractRet: optionalText(ret === undefined ? undefined : json(ret, 'ret').contractRet, 'contractRet'),
  }
}

export function parseTransactionInfo(answer: unknown): TransactionInfo | null {
  if (isEmpty(answer)) return null
  const info = json(answer, 'transaction info')
  const receipt = info.receipt === undefined ? {} : json(info.receipt, 'receipt')
  return {
    txid: hash(info.id, 'transaction id'),
    height: count(info.blockNumber, 'block height'),
    timeMs: count(info.blockTimeStamp ?? 0, 'block time'),
    result: optionalText(info.result, 'result'),
    receiptResult: optionalText(receipt.result, 'receipt result'),
    logs: list(info.log, 'log').map(parseLog),
  }
}

/** Lenient on purpose: `readTransfers` judges, with a reason, whether a log is a proper Transfer. */
function parseLog(value: unknown): Log {
  const log = json(value, 'log')
  return {
    address: text(log.address, 'log address'),
    topics: list(log.topics, 'topics').map(topic => hex(topic, 'topic')),
    data: log.data === undefined ? '' : hex(log.data, 'log data'),
  }
}

export function json(value: unknown, what: string): Json {
  if (!isJson(value)) throw malformed(what)
  return value
}

/** Absent means empty. */
export function list(value: unknown, what: string): readonly unknown[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw malformed(what)
  return value
}

export function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw malformed(what)
  return value
}

const optionalText = (value: unknown, what: string) => (value === undefined ? null : text(value, what))

export function hex(value: unknown, what: string): string {
  const bare = text(value, what).toLowerCase().replace(/^0x/, '')
  if (!/^([0-9a-f]{2})*$/.test(bare)) throw malformed(what)
  return bare
}

export function hash(value: unknown, what: string): string {
  const digits = hex(value, what)
  if (digits.length !== 64) throw malformed(what)
  return digits
}

/** A height, a time or a JSON-RPC quantity: a whole number that is safe to hold. */
export function count(value: unknown, what: string): number {
  const number =
    typeof value === 'string' && /^(0x[0-9a-f]{1,14}|\d{1,16})$/i.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) throw malformed(what)
  return number
}

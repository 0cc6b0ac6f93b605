/**
 * The shapes of a node's answers. Faithful where it hurts: defaults are absent rather than empty, a log's address has
 * no prefix, a plain payment has no receipt result, a failed call says so in three places, and with `visible` every
 * address turns to base58, the logs' too.
 */
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { type Address20, toBase58, toHex41 } from '../address.ts'
import type { ChainBlock, Mined } from './block.ts'
import { type RawTransaction, type SignedTransaction, contractTypes, encodeRaw } from './transaction.ts'

export type JsonObject = Record<string, unknown>

const shownAddress = (address: Address20, isVisible: boolean) =>
  isVisible ? toBase58(address) : toHex41(address)

export const hexText = (text: string): string => bytesToHex(utf8ToBytes(text))

function rawDataJson(raw: RawTransaction, isVisible: boolean): JsonObject {
  const value: JsonObject = {}
  for (const [name, , kind] of contractTypes[raw.type].fields) {
    const field = raw.value[name]
    if (kind === 'address') value[name] = shownAddress(String(field), isVisible)
    else if (kind === 'int' && BigInt(field ?? 0n) !== 0n) value[name] = Number(field)
    else if (kind === 'bytes' && field) value[name] = field
  }
  return {
    ...(raw.memo && { data: raw.memo }),
    contract: [
      {
        parameter: { value, type_url: `type.googleapis.com/protocol.${raw.type}` },
        type: raw.type,
        ...(raw.permissionId && { Permission_id: Number(raw.permissionId) }),
      },
    ],
    ref_block_bytes: raw.refBlockBytes,
    ref_block_hash: raw.refBlockHash,
    expiration: Number(raw.expiration),
    ...(raw.feeLimit && { fee_limit: Number(raw.feeLimit) }),
    ...(raw.timestamp && { timestamp: Number(raw.timestamp) }),
  }
}

/** Not yet signed, or without a result: what a builder answers. */
export function transactionJson(raw: RawTransaction, txid: string, isVisible: boolean): JsonObject {
  return {
    visible: isVisible,
    txID: txid,
    raw_data: rawDataJson(raw, isVisible),
    raw_data_hex: bytesToHex(encodeRaw(raw)),
  }
}

export function minedJson({ transaction, execution }: Mined, isVisible: boolean): JsonObject {
  const { visible, ...rest } = signedJson(transaction, isVisible)
  return { ret: [{ contractRet: execution.receipt }], ...rest, ...(visible === true && { visible }) }
}

export const signedJson = (transaction: SignedTransaction, isVisible: boolean): JsonObject => ({
  ...transactionJson(transaction.raw, transaction.txid, isVisible),
  ...(transaction.signatures.length > 0 && { signature: transaction.signatures }),
})

export function infoJson(
  { transaction, execution }: Mined,
  block: ChainBlock,
  isVisible: boolean,
): JsonObject {
  const { raw, txid } = transaction
  const isCall = raw.type === 'TriggerSmartContract'
  const isFailed = execution.receipt !== 'SUCCESS'
  return {
    id: txid,
    ...(execution.fee && { fee: Number(execution.fee) }),
    blockNumber: block.height,
    blockTimeStamp: block.timeMs,
    contractResult: [execution.returned],
    ...(isCall && { contract_address: shownAddress(String(raw.value.contract_address), isVisible) }),
    receipt: {
      ...(execution.energy && {
        energy_fee: Number(execution.fee),
        energy_usage_total: Number(execution.energy),
      }),
      net_usage: 345,
      ...(isCall && { result: execution.receipt }),
    },
    ...(isFailed && { result: 'FAILED', resMessage: hexText(failureMessage(execution.receipt)) }),
    ...(execution.logs.length > 0 && {
      log: execution.logs.map(log => ({
        address: isVisible ? toBase58(log.address) : log.address,
        topics: log.topics,
        ...(log.data && { data: log.data }),
      })),
    }),
  }
}

const failureMessage = (receipt: string) =>
  receipt === 'REVERT' ? 'REVERT opcode executed' : 'Not enough energy for this call'

export function blockJson(block: ChainBlock, isVisible: boolean, isDetailed = true): JsonObject {
  return {
    blockID: block.id,
    block_header: {
      raw_data: {
        // The number of the first block is a default and so absent.
        ...(block.height > 0 && { number: block.height }),
        txTrieRoot: block.root,
        witness_address: shownAddress('0'.repeat(40), isVisible),
        parentHash: block.parentId,
        version: 31,
        timestamp: block.timeMs,
      },
      witness_signature: '00'.repeat(65),
    },
    ...(isDetailed &&
      block.transactions.length > 0 && {
        transactions: block.transactions.map(each => minedJson(each, isVisible)),
      }),
  }
}

/** What `int64_as_string=true` asks for: numbers a JavaScript client might round come as text. */
export function numbersAsText(value: unknown): unknown {
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map(numbersAsText)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, numbersAsText(each)]))
}

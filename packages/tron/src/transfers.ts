/**
 * Which transfers of our token to and from our addresses a transaction made. Pure: the same facts give the same reading.
 *
 * Only logs count, and only of a transaction that succeeded by all three of its marks. Call data, who called, the
 * contract called, token names and the call's return value are ignored: the genuine token returns "false" when it
 * succeeds, and a batch payer moves it without ever being the owner. A transfer is identified by (txid, position in
 * the transaction's own `log` list); the position in the block that JSON-RPC gives is another number and is never used.
 * The txid is computed again from the signed bytes.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { addressOfWord, approvalTopic, transferTopic, uintOfWord } from './abi.ts'
import { type Address20, isAddress, parseAddress } from './address.ts'
import type { Log, Transaction, TransactionInfo } from './answers.ts'

export interface TransferPolicy {
  /** The one contract whose logs are money, in any form. Configuration, never taken from the chain. */
  readonly contract: string
  readonly isOurs: (address: Address20) => boolean
}

export interface Transfer {
  readonly txid: string
  /** In the transaction's `log` list, counted from 0 over all its logs. */
  readonly position: number
  readonly from20: Address20
  readonly to20: Address20
  /** Base units; one is one micro-USD. What arrived, whatever was meant to be sent. */
  readonly amount: bigint
  readonly height: number
  readonly timeMs: number
}

/**
 * Of the whole transaction: `forged` (the txid is not the hash of what was signed, or the two answers are of different
 * transactions), `failed`, `trx` and `trc10` (another coin was sent), `no_transfer` (no log of use). Of one log:
 * `other_event`, `other_token`, `approval`, `malformed_log`, `zero_value`, `not_ours`.
 */
export const refusals = [
  'forged',
  'failed',
  'trx',
  'trc10',
  'zero_value',
  'other_token',
  'approval',
  'malformed_log',
  'not_ours',
  'other_event',
  'no_transfer',
] as const
export type Refusal = (typeof refusals)[number]

export interface Refused {
  readonly reason: Refusal
  /** Null when the whole transaction is refused. */
  readonly position: number | null
  readonly to20: Address20 | null
}

export interface Reading {
  /** To our addresses. */
  readonly accepted: readonly Transfer[]
  /** From our addresses, to whomever. */
  readonly sent: readonly Transfer[]
  readonly refused: readonly Refused[]
}

/** No token balance can be above this: the ledger's columns are 64 bits wide, and the real supply is far below. */
const largestAmount = 2n ** 63n - 1n

export function readTransfers(
  info: TransactionInfo,
  transaction: Transaction,
  policy: TransferPolicy,
): Reading {
  const reason = refuseTransaction(info, transaction)
  if (reason) return { accepted: [], sent: [], refused: [{ reason, position: null, to20: null }] }
  const contract = parseAddress(policy.contract)
  const accepted: Transfer[] = []
  const sent: Transfer[] = []
  const refused: Refused[] = []
  info.logs.forEach((log, position) => {
    const move = readLog(log, contract)
    if ('reason' in move) return void refused.push({ ...move, position })
    const { txid, height, timeMs } = info
    const transfer = { txid, position, ...move, height, timeMs }
    const { from20, to20, amount } = move
    if (amount > 0n && policy.isOurs(from20)) sent.push(transfer)
    if (!policy.isOurs(to20)) refused.push({ reason: 'not_ours', position, to20 })
    // Anyone may transfer an amount of zero from anyone: such transfers only plant a look-alike address in a history.
    else if (amount === 0n) refused.push({ reason: 'zero_value', position, to20 })
    else accepted.push(transfer)
  })
  return { accepted, sent, refused }
}

/** The one reason to tell a person, or null when something was accepted. */
export function mainRefusal(reading: Reading): Refusal | null {
  if (reading.accepted.length > 0) return null
  return refusals.find(reason => reading.refused.some(each => each.reason === reason)) ?? 'no_transfer'
}

function refuseTransaction(info: TransactionInfo, transaction: Transaction): Refusal | null {
  const signed = bytesToHex(sha256(hexToBytes(transaction.rawDataHex)))
  if (signed !== transaction.txid || info.txid !== transaction.txid) return 'forged'
  if (info.result !== null || transaction.contractRet !== 'SUCCESS') return 'failed'
  // A plain payment runs no contract and so has no receipt result.
  if (info.logs.length === 0) {
    if (transaction.type === 'TransferContract') return 'trx'
    if (transaction.type === 'TransferAssetContract') return 'trc10'
  }
  if (info.receiptResult !== 'SUCCESS') return 'failed'
  return info.logs.length === 0 ? 'no_transfer' : null
}

type LogReading =
  | { readonly reason: Refusal; readonly to20: Address20 | null }
  | Pick<Transfer, 'from20' | 'to20' | 'amount'>

/** A proper Transfer of the token, whoever pays whom, or why it is none. */
function readLog(log: Log, contract: Address20): LogReading {
  const [topic, sender, recipient] = log.topics
  const from20 = addressOfWord(sender ?? '')
  const to20 = addressOfWord(recipient ?? '')
  const refuse = (reason: Refusal): LogReading => ({ reason, to20: topic === transferTopic ? to20 : null })
  if (!isAddress(log.address)) return refuse('malformed_log')
  if (parseAddress(log.address) !== contract)
    return refuse(topic === transferTopic ? 'other_token' : 'other_event')
  if (topic === approvalTopic) return refuse('approval')
  if (topic !== transferTopic) return refuse('other_event')
  const amount = uintOfWord(log.data)
  if (
    log.topics.length !== 3 ||
    from20 === null ||
    to20 === null ||
    amount === null ||
    amount > largestAmount
  )
    return refuse('malformed_log')
  return { from20, to20, amount }
}

/** Transactions out of JSON: those a client asks the node to build, and those it sends back signed. */
import { selector } from '../abi.ts'
import { parseAddress } from '../address.ts'
import { type Json, isJson } from '../answers.ts'
import type { Node } from './node.ts'
import {
  type ContractType,
  type ContractValue,
  type RawTransaction,
  type SignedTransaction,
  contractTypes,
  isContractType,
  txidOf,
} from './transaction.ts'

const lifeMs = 60_000

/** Bound to the newest solid block, which no reorganisation removes. */
export function newRaw(
  node: Node,
  type: ContractType,
  value: ContractValue,
  feeLimit: bigint,
): RawTransaction {
  const reference = node.chain.block(node.chain.solidHeight())!
  return {
    type,
    value,
    permissionId: 0n,
    refBlockBytes: reference.height.toString(16).padStart(4, '0').slice(-4),
    refBlockHash: reference.id.slice(16, 32),
    expiration: BigInt(node.chain.head().timeMs + lifeMs),
    timestamp: BigInt(node.now()),
    feeLimit,
    memo: '',
  }
}

export function buildTransaction(
  node: Node,
  type: ContractType,
  params: Json,
): { readonly raw: RawTransaction; readonly txid: string } {
  const data = callData(params)
  const value = readValue(type, data === null ? params : { ...params, data })
  const raw = newRaw(node, type, value, readInt(params.fee_limit))
  return { raw, txid: txidOf(raw) }
}

function callData(params: Json): string | null {
  if (typeof params.function_selector !== 'string') return null
  return selector(params.function_selector) + (typeof params.parameter === 'string' ? params.parameter : '')
}

/** A signed transaction as JSON. Its bytes are made again from the fields; `raw_data_hex` and `txID` are not read. */
export function parseRequested(params: Json): SignedTransaction {
  const raw = isJson(params.raw_data) ? params.raw_data : {}
  const [contract] = Array.isArray(raw.contract) ? raw.contract : []
  if (!isJson(contract) || !isContractType(contract.type) || !isJson(contract.parameter))
    throw new RangeError('not a transaction of a known type')
  const { value } = contract.parameter
  const parsed: RawTransaction = {
    type: contract.type,
    value: readValue(contract.type, isJson(value) ? value : {}),
    permissionId: readInt(contract.Permission_id),
    refBlockBytes: readHex(raw.ref_block_bytes),
    refBlockHash: readHex(raw.ref_block_hash),
    expiration: readInt(raw.expiration),
    timestamp: readInt(raw.timestamp),
    feeLimit: readInt(raw.fee_limit),
    memo: readHex(raw.data),
  }
  const signatures = Array.isArray(params.signature) ? params.signature.map(readHex) : []
  return { raw: parsed, txid: txidOf(parsed), signatures }
}

function readValue(type: ContractType, params: Json): ContractValue {
  return Object.fromEntries(
    contractTypes[type].fields.map(([name, , kind]) => {
      const field = params[name]
      if (kind === 'int') return [name, readInt(field)]
      return [name, kind === 'address' ? parseAddress(String(field)) : readHex(field)]
    }),
  )
}

function readInt(value: unknown): bigint {
  if (value === undefined || value === null) return 0n
  if ((typeof value === 'number' && Number.isSafeInteger(value)) || typeof value === 'string')
    return BigInt(value)
  throw new RangeError('not a whole number')
}

function readHex(value: unknown): string {
  if (value === undefined || value === null) return ''
  const text = String(value).toLowerCase().replace(/^0x/, '')
  if (!/^([0-9a-f]{2})*$/.test(text)) throw new RangeError('not hex')
  return text
}

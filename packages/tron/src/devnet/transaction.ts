/**
 * Transactions as the chain has them: protobuf bytes, an id that is their sha256, and a signature over that id. The
 * bytes are always made from the fields, so what a client claims in `raw_data_hex` or `txID` has no effect.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { type Address20, addressOfPublicKey } from '../address.ts'
import { type WireValue, decodeMessage, encodeMessage } from './protobuf.ts'

/** Addresses are 20-byte hex, bytes are hex, integers bigint. */
export type ContractValue = Readonly<Record<string, string | bigint>>
type FieldKind = 'address' | 'bytes' | 'int'

/** The contract types that exist on the devnet: number in the protocol, and fields by number. */
export const contractTypes = {
  TransferContract: {
    code: 1n,
    fields: [
      ['owner_address', 1, 'address'],
      ['to_address', 2, 'address'],
      ['amount', 3, 'int'],
    ],
  },
  TransferAssetContract: {
    code: 2n,
    fields: [
      ['asset_name', 1, 'bytes'],
      ['owner_address', 2, 'address'],
      ['to_address', 3, 'address'],
      ['amount', 4, 'int'],
    ],
  },
  TriggerSmartContract: {
    code: 31n,
    fields: [
      ['owner_address', 1, 'address'],
      ['contract_address', 2, 'address'],
      ['call_value', 3, 'int'],
      ['data', 4, 'bytes'],
      ['call_token_value', 5, 'int'],
      ['token_id', 6, 'int'],
    ],
  },
} as const satisfies Record<
  string,
  { code: bigint; fields: readonly (readonly [string, number, FieldKind])[] }
>

export type ContractType = keyof typeof contractTypes
export const isContractType = (type: unknown): type is ContractType =>
  typeof type === 'string' && Object.hasOwn(contractTypes, type)

export interface RawTransaction {
  readonly type: ContractType
  readonly value: ContractValue
  readonly permissionId: bigint
  /** Last two bytes of the height of a recent block, and bytes 8 to 16 of its id: binds to one chain. */
  readonly refBlockBytes: string
  readonly refBlockHash: string
  readonly expiration: bigint
  readonly timestamp: bigint
  readonly feeLimit: bigint
  readonly memo: string
}

export interface SignedTransaction {
  readonly raw: RawTransaction
  readonly txid: string
  /** 65 bytes of hex each: r, s, recovery. */
  readonly signatures: readonly string[]
}

const typeUrl = (type: ContractType) => `type.googleapis.com/protocol.${type}`

export function encodeRaw(raw: RawTransaction): Uint8Array {
  const parameter = encodeMessage([
    [1, utf8ToBytes(typeUrl(raw.type))],
    [2, encodeValue(raw.type, raw.value)],
  ])
  const contract = encodeMessage([
    [1, contractTypes[raw.type].code],
    [2, parameter],
    [5, raw.permissionId],
  ])
  return encodeMessage([
    [1, hexToBytes(raw.refBlockBytes)],
    [4, hexToBytes(raw.refBlockHash)],
    [8, raw.expiration],
    [10, hexToBytes(raw.memo)],
    [11, contract],
    [14, raw.timestamp],
    [18, raw.feeLimit],
  ])
}

function encodeValue(type: ContractType, value: ContractValue): Uint8Array {
  return encodeMessage(
    contractTypes[type].fields.map(([name, number, kind]) => {
      const field = value[name]
      if (kind === 'int') return [number, BigInt(field ?? 0n)] as const
      const bytes = hexToBytes(typeof field === 'string' ? field : '')
      return [number, kind === 'address' ? Uint8Array.of(0x41, ...bytes) : bytes] as const
    }),
  )
}

/** Throws RangeError on anything that is not one transaction of a known type. */
export function decodeRaw(bytes: Uint8Array): RawTransaction {
  const raw = decodeMessage(bytes)
  const contract = decodeMessage(bytesOf(raw, 11))
  const code = intOf(contract, 1)
  const type = Object.keys(contractTypes).find(
    name => isContractType(name) && contractTypes[name].code === code,
  )
  if (!isContractType(type)) throw new RangeError('a contract type that does not exist here')
  const value = decodeMessage(bytesOf(decodeMessage(bytesOf(contract, 2)), 2))
  return {
    type,
    value: Object.fromEntries(
      contractTypes[type].fields.map(([name, number, kind]) => {
        if (kind === 'int') return [name, intOf(value, number)]
        const hex = bytesToHex(bytesOf(value, number))
        return [name, kind === 'address' ? hex.slice(2) : hex]
      }),
    ),
    permissionId: intOf(contract, 5),
    refBlockBytes: bytesToHex(bytesOf(raw, 1)),
    refBlockHash: bytesToHex(bytesOf(raw, 4)),
    expiration: intOf(raw, 8),
    timestamp: intOf(raw, 14),
    feeLimit: intOf(raw, 18),
    memo: bytesToHex(bytesOf(raw, 10)),
  }
}

export const txidOf = (raw: RawTransaction): string => bytesToHex(sha256(encodeRaw(raw)))

export function sign(raw: RawTransaction, privateKey: string): SignedTransaction {
  const id = sha256(encodeRaw(raw))
  // The library puts the recovery byte first, the chain last.
  const signature = secp256k1.sign(id, hexToBytes(privateKey), { prehash: false, format: 'recovered' })
  const signed = bytesToHex(signature.subarray(1)) + bytesToHex(signature.subarray(0, 1))
  return { raw, txid: bytesToHex(id), signatures: [signed] }
}

/** Who signed, or null when there is no proper signature. Wallets write the recovery byte as 0/1 or as 27/28. */
export function signerOf(transaction: SignedTransaction): Address20 | null {
  const [signature] = transaction.signatures
  if (!signature || !/^[0-9a-f]{130}$/.test(signature)) return null
  const bytes = hexToBytes(signature)
  const recovery = bytes[64]! % 27
  try {
    const recovered = Uint8Array.of(recovery, ...bytes.subarray(0, 64))
    const id = hexToBytes(transaction.txid)
    return addressOfPublicKey(secp256k1.recoverPublicKey(recovered, id, { prehash: false }))
  } catch {
    return null
  }
}

/** The whole signed transaction, as it travels and as it is stored. */
export const encodeSigned = (transaction: SignedTransaction): Uint8Array =>
  encodeMessage([
    [1, encodeRaw(transaction.raw)],
    ...transaction.signatures.map(signature => [2, hexToBytes(signature)] as const),
  ])

export function decodeSigned(bytes: Uint8Array): SignedTransaction {
  const fields = decodeMessage(bytes)
  const raw = decodeRaw(bytesOf(fields, 1))
  const signatures = (fields.get(2) ?? []).map(value => (typeof value === 'bigint' ? '' : bytesToHex(value)))
  return { raw, txid: txidOf(raw), signatures }
}

function bytesOf(message: Map<number, WireValue[]>, number: number): Uint8Array {
  const value = message.get(number)?.at(-1) ?? new Uint8Array()
  if (typeof value === 'bigint') throw new RangeError('not a transaction')
  return value
}

function intOf(message: Map<number, WireValue[]>, number: number): bigint {
  const value = message.get(number)?.at(-1) ?? 0n
  if (typeof value !== 'bigint') throw new RangeError('not a transaction')
  return value
}

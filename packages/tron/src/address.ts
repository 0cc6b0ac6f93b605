/**
 * TRON addresses. Inside the product an address is its last 20 bytes in lower-case hex: every form a node answers
 * with can be brought to it, and it compares byte for byte (base58 must never be compared without regard to case).
 * Base58check is for people, and a bad checksum is refused.
 *
 * Deposit addresses come from an account-level extended public key (m/44'/195'/n') by its external chain, 0/i. Only
 * public keys are accepted: whoever holds this process can watch, never spend. No message repeats the key it refuses.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { createBase58check } from '@scure/base'
import { HARDENED_OFFSET, HDKey } from '@scure/bip32'

/** 40 lower-case hex digits, no prefix. */
export type Address20 = string

export interface DepositAddress {
  readonly index: number
  readonly address20: Address20
  /** `T…`, 34 characters: what a customer sees. */
  readonly base58: string
}

const prefix = 0x41
const accountDepth = 3
const base58check = createBase58check(sha256)

/** Reads `T…`, `41…` (21 bytes) or 20 bytes, hex with or without `0x`. Throws RangeError on anything else. */
export function parseAddress(text: string): Address20 {
  const bare = /^0x/i.test(text) ? text.slice(2) : text
  if (/^[0-9a-f]{40}$/i.test(bare)) return bare.toLowerCase()
  if (/^41[0-9a-f]{40}$/i.test(bare)) return bare.slice(2).toLowerCase()
  const bytes = decodeBase58(text)
  if (bytes?.length === 21 && bytes[0] === prefix) return bytesToHex(bytes.subarray(1))
  throw new RangeError('not a TRON address, or its checksum is wrong')
}

export function isAddress(text: string): boolean {
  try {
    parseAddress(text)
    return true
  } catch {
    return false
  }
}

/** The 21 bytes that nodes take and give, in hex. */
export const toHex41 = (address: Address20): string => `41${address}`

export const toBase58 = (address: Address20): string => base58check.encode(hexToBytes(toHex41(address)))

/** The address of a secp256k1 public key, compressed or not. */
export function addressOfPublicKey(publicKey: Uint8Array): Address20 {
  const uncompressed = secp256k1.Point.fromBytes(publicKey).toBytes(false)
  return bytesToHex(keccak_256(uncompressed.subarray(1)).subarray(-20))
}

/** Throws RangeError unless the text is an account-level extended public key. */
export function checkXpub(xpub: string): void {
  externalChain(xpub)
}

/** Address number `index` (0 … 2³¹−1) of the account. About half a millisecond; the parsed key is kept. */
export function depositAddress(xpub: string, index: number): DepositAddress {
  if (!Number.isInteger(index) || index < 0 || index >= HARDENED_OFFSET)
    throw new RangeError(`not an address index: ${index}`)
  const child = externalChain(xpub).deriveChild(index)
  const address20 = addressOfPublicKey(child.publicKey!)
  return { index, address20, base58: toBase58(address20) }
}

/** Where an account-level key stands: `m/44'/195'/0'`, as wallets name the first account. */
export function accountPath(xpub: string): string {
  return `m/44'/195'/${readAccountKey(xpub).index - HARDENED_OFFSET}'`
}

/** A process configures one key, seldom two; the bound only keeps a mistake from growing without end. */
const keptKeys = 8
const parsed = new Map<string, HDKey>()

function externalChain(xpub: string): HDKey {
  const kept = parsed.get(xpub)
  if (kept) return kept
  const chain = readAccountKey(xpub).deriveChild(0)
  if (parsed.size >= keptKeys) parsed.clear()
  parsed.set(xpub, chain)
  return chain
}

function readAccountKey(text: string): HDKey {
  const bytes = decodeBase58(text)
  // Byte 45 is where the key begins: 0 announces a private one, whatever version bytes stand in front.
  if (/^\s*[a-z]prv/i.test(text) || (bytes?.length === 78 && bytes[45] === 0))
    throw new RangeError('this is a private key: give the account’s extended PUBLIC key (xpub…) instead')
  if (!text.startsWith('xpub') || bytes?.length !== 78)
    throw new RangeError('not an extended public key (xpub…), or its checksum is wrong')
  const key = HDKey.fromExtendedKey(text)
  if (key.depth !== accountDepth || key.index < HARDENED_OFFSET)
    throw new RangeError('the extended public key must be an account’s: m/44’/195’/0’')
  return key
}

function decodeBase58(text: string): Uint8Array | null {
  try {
    return base58check.decode(text)
  } catch {
    return null
  }
}

/**
 * The little of the contract ABI that the product speaks: 32-byte words, function selectors and event topics, all in
 * lower-case hex without a prefix.
 */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Address20 } from './address.ts'

const wordDigits = 64

export const keccakHex = (text: string): string => bytesToHex(keccak_256(utf8ToBytes(text)))

/** `selector('transfer(address,uint256)')` → `a9059cbb`. */
export const selector = (signature: string): string => keccakHex(signature).slice(0, 8)

export const transferTopic = keccakHex('Transfer(address,address,uint256)')
export const approvalTopic = keccakHex('Approval(address,address,uint256)')

export const addressWord = (address: Address20): string => address.padStart(wordDigits, '0')

export function uintWord(value: bigint): string {
  if (value < 0n || value >= 1n << 256n) throw new RangeError('not a uint256')
  return value.toString(16).padStart(wordDigits, '0')
}

/**
 * The address in a word, or null. Older TRON tooling writes its 21-byte form, so `41` may stand in front of the 20
 * bytes; anything else there means that the word is no address.
 */
export function addressOfWord(word: string): Address20 | null {
  return /^0{22}(?:00|41)([0-9a-f]{40})$/.exec(word)?.[1] ?? null
}

/** The number in a word, or null when it is not exactly one word. */
export const uintOfWord = (word: string): bigint | null =>
  /^[0-9a-f]{64}$/.test(word) ? BigInt(`0x${word}`) : null

/** Cuts call data or a return value into words; null when it does not divide. */
export function wordsOf(hex: string): string[] | null {
  if (hex.length % wordDigits !== 0 || !/^[0-9a-f]*$/.test(hex)) return null
  return hex.match(/.{64}/g) ?? []
}

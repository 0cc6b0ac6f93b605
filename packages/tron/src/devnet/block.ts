/** Blocks and their ids, hashed as the main chain does, so that an id stands for everything before it. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'
import type { Execution } from './execution.ts'
import { encodeMessage } from './protobuf.ts'
import { type SignedTransaction, encodeSigned } from './transaction.ts'

export interface Mined {
  readonly transaction: SignedTransaction
  readonly execution: Execution
}

export interface ChainBlock {
  readonly height: number
  readonly id: string
  readonly parentId: string
  readonly timeMs: number
  readonly root: string
  readonly transactions: readonly Mined[]
}

/** A block without its executions. Its id is the header's sha256 with the height in place of the first eight bytes. */
export function sealBlock(
  height: number,
  parentId: string,
  timeMs: number,
  fork: number,
  transactions: readonly SignedTransaction[],
): ChainBlock {
  const root = merkleRoot(transactions.map(transaction => sha256(encodeSigned(transaction))))
  const header = encodeMessage([
    [1, BigInt(timeMs)],
    [2, root],
    [3, hexToBytes(parentId)],
    [7, BigInt(height)],
    // The producer: another one after each fork, so that a replaced block never keeps its id.
    [8, BigInt(fork)],
  ])
  const id = height.toString(16).padStart(16, '0') + bytesToHex(sha256(header)).slice(16)
  return { height, id, parentId, timeMs, root: bytesToHex(root), transactions: [] }
}

function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return new Uint8Array(32)
  if (leaves.length === 1) return leaves[0]!
  const above: Uint8Array[] = []
  for (let index = 0; index < leaves.length; index += 2) {
    const right = leaves[index + 1]
    above.push(right ? sha256(concatBytes(leaves[index]!, right)) : leaves[index]!)
  }
  return merkleRoot(above)
}

/**
 * Whether a node's log index can be trusted. A node whose index was switched on late, or that started from a
 * snapshot without one, answers filtered queries with an empty list for blocks it otherwise has: no error, no money.
 * Run this at start and now and then; on `holes`, scan by `blocks` and tell the operator.
 */
import { addressOfWord, transferTopic } from './abi.ts'
import { type Address20, isAddress, parseAddress } from './address.ts'
import type { TransactionInfo } from './answers.ts'
import { provenLogs } from './proven-logs.ts'
import type { ChainReader } from './reader.ts'

const sides = ['recipient'] as const

/** `unproven`: no transfer of the token in the blocks looked at, so nothing to compare. */
export type IndexHealth = 'complete' | 'holes' | 'unproven'

/** Compares one transfer found in a whole block with what the index says of it. Throws a ReadError. */
export async function probeLogIndex(
  reader: ChainReader,
  contract: string,
  options: { readonly around?: number; readonly maxBlocks?: number } = {},
): Promise<IndexHealth> {
  const head = await reader.head('solid')
  const top = Math.min(options.around ?? head.height, head.height)
  for (let height = top; height > Math.max(0, top - (options.maxBlocks ?? 5)); height--) {
    const recipient = anyRecipient(await reader.blockInfos(height), parseAddress(contract))
    if (recipient === null) continue
    const query = { contract, addresses: [recipient], sides, from: height, to: height, anchor: head }
    return (await provenLogs(reader, query)).logs.length > 0 ? 'complete' : 'holes'
  }
  return 'unproven'
}

function anyRecipient(infos: readonly TransactionInfo[], contract: Address20): Address20 | null {
  for (const log of infos.flatMap(info => info.logs)) {
    const isTransfer = log.topics[0] === transferTopic && isAddress(log.address)
    if (isTransfer && parseAddress(log.address) === contract) {
      const recipient = addressOfWord(log.topics[2] ?? '')
      if (recipient !== null) return recipient
    }
  }
  return null
}

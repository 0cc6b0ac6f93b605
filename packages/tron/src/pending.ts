/**
 * Transfers to our addresses that are on the chain but not yet final: for the eyes only. They may vanish, and nothing
 * is ever credited from here. Their identity is the one the scanner will use, so a screen can follow a transfer from
 * its first block to its credit.
 *
 * Pass the addresses somebody is looking at, not all of them: this is asked every few seconds.
 */
import type { Address20 } from './address.ts'
import type { BlockRef } from './answers.ts'
import type { Hit } from './hit.ts'
import { readFound } from './log-transfers.ts'
import {
  type FoundLog,
  blockCall,
  chunks,
  logsCall,
  nodeLimits,
  parseLogs,
  parseRpcBlock,
} from './proven-logs.ts'
import { type Stopped, stopped } from './read-error.ts'
import type { ChainReader } from './reader.ts'
import type { TransferPolicy } from './transfers.ts'

/** A block is final when it and 18 blocks on top of it stand, each by another producer. */
export const confirmationsNeeded = 19

export interface PendingTransfer extends Hit {
  /** Blocks from its own to the newest, 1 … needed−1: the count is never complete while the transfer is pending. */
  readonly confirmations: number
  readonly needed: number
}

export type PendingResult =
  | { readonly kind: 'seen'; readonly transfers: readonly PendingTransfer[]; readonly head: BlockRef }
  | Stopped

export async function pending(input: {
  readonly reader: ChainReader
  readonly contract: string
  readonly addresses: readonly Address20[]
  /** The chain's own number, for screens. */
  readonly needed?: number
}): Promise<PendingResult> {
  try {
    return await look(input.reader, input.contract, input.addresses, input.needed ?? confirmationsNeeded)
  } catch (error) {
    return stopped(error)
  }
}

async function look(
  reader: ChainReader,
  contract: string,
  addresses: readonly Address20[],
  needed: number,
): Promise<PendingResult> {
  const solid = await reader.head('solid')
  const from = solid.height + 1
  let head: BlockRef = solid
  const logs: FoundLog[] = []
  for (const some of addresses.length > 0 ? chunks(addresses, nodeLimits.addresses) : []) {
    const query = { contract, addresses: some, from, to: Number.MAX_SAFE_INTEGER }
    const [latest, found] = await reader.rpc([blockCall('latest'), logsCall(query, 'recipient', 'latest')])
    head = parseRpcBlock(latest) ?? solid
    logs.push(...parseLogs(found, 'recipient', query))
  }
  const isOurs = new Set(addresses)
  const hits = await readPending(reader, logs, { contract, isOurs: address => isOurs.has(address) })
  const transfers = hits.map(hit => ({
    ...hit,
    confirmations: Math.max(1, Math.min(head.height - hit.height + 1, needed - 1)),
    needed,
  }))
  return { kind: 'seen', transfers, head }
}

/** A block may have been replaced between two questions: a transfer that cannot be read now is left out, not fatal. */
async function readPending(
  reader: ChainReader,
  logs: readonly FoundLog[],
  policy: TransferPolicy,
): Promise<readonly Hit[]> {
  const hits: Hit[] = []
  for (const group of Map.groupBy(logs, log => log.txid).values()) {
    const read = await readFound(reader, 'latest', group, policy)
    hits.push(...read.hits)
    const why = read.failure?.error.failure
    if (read.failure && why !== 'lagging' && why !== 'disputed') throw read.failure.error
  }
  return hits
}

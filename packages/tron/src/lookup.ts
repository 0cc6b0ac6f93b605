/**
 * What became of one transaction that somebody names. A look-up only: the scanner credits, and a hash proves nothing
 * about who paid.
 */
import type { BlockRef } from './answers.ts'
import type { ChainReader } from './reader.ts'
import { type Reading, type TransferPolicy, readTransfers } from './transfers.ts'

/** Lower case, without `0x` and spaces around; null when it is no transaction id. */
export function parseTxid(text: string): string | null {
  return /^(?:0x)?([0-9a-f]{64})$/.exec(text.trim().toLowerCase())?.[1] ?? null
}

/** `unknown` is not "never": the transaction may not have been mined, or the node may lag. */
export type Lookup =
  | { readonly state: 'unknown' }
  | { readonly state: 'pending'; readonly reading: Reading; readonly height: number; readonly head: BlockRef }
  | { readonly state: 'solid'; readonly reading: Reading; readonly height: number }

/** Throws a ReadError when the chain cannot be read. */
export async function lookUp(reader: ChainReader, txid: string, policy: TransferPolicy): Promise<Lookup> {
  const solid = await reader.facts(txid, 'solid')
  if (solid) {
    const reading = readTransfers(solid.info, solid.transaction, policy)
    return { state: 'solid', reading, height: solid.info.height }
  }
  const latest = await reader.facts(txid, 'latest')
  if (!latest) return { state: 'unknown' }
  const reading = readTransfers(latest.info, latest.transaction, policy)
  return { state: 'pending', reading, height: latest.info.height, head: await reader.head('latest') }
}

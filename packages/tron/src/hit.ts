/** What every way of searching for transfers is given and what it brings back. */
import type { Address20 } from './address.ts'
import type { BlockRef } from './answers.ts'
import type { ChainReader } from './reader.ts'
import type { Reading, Refused, Transfer } from './transfers.ts'

/** Our addresses. Both are asked after the head was read, so that an address paid below it is among them. */
export interface Watched {
  /** All of them; null when there are more than `most`. */
  readonly list: (most: number) => Promise<readonly Address20[] | null>
  /** Those of `addresses` that are ours: however many there are, only those found in blocks are looked up. */
  readonly oursAmong: (addresses: readonly Address20[]) => Promise<ReadonlySet<Address20>>
}

export interface Search {
  readonly reader: ChainReader
  /** The token's contract, in any form. */
  readonly contract: string
  readonly watched: Watched
  /** Whether all hits of a transaction are already stored; it is then not read again. */
  readonly isKnown?: (txid: string) => boolean
}

/** The blocks of one pass, and the block from which to prove them. */
export interface Span {
  readonly anchor: BlockRef
  readonly from: number
  /** Included. */
  readonly to: number
}

export interface Hit extends Transfer {
  readonly blockId: string
}

/** A transfer away from one of our addresses. */
export type Sweep = Hit

/** A log to one of our addresses that is no deposit, and why. */
export interface RefusedHit extends Refused {
  readonly txid: string
}

export interface Hits {
  readonly hits: readonly Hit[]
  readonly sweeps: readonly Sweep[]
  readonly refused: readonly RefusedHit[]
}

/** All there is up to `end`, which is proven. */
export interface Found extends Hits {
  readonly end: BlockRef
}

export const together = (found: readonly Hits[]): Hits => ({
  hits: found.flatMap(each => each.hits),
  sweeps: found.flatMap(each => each.sweeps),
  refused: found.flatMap(each => each.refused),
})

export function hitsOf(
  reading: Reading,
  txid: string,
  blockId: string,
  isOurs: (address: Address20) => boolean,
): Hits {
  const ours = reading.refused.filter(each => each.to20 !== null && isOurs(each.to20))
  return {
    hits: reading.accepted.map(transfer => ({ ...transfer, blockId })),
    sweeps: reading.sent.map(transfer => ({ ...transfer, blockId })),
    refused: ours.map(each => ({ ...each, txid })),
  }
}

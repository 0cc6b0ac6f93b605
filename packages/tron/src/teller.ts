/**
 * What a server does with the scanner's results, in memory: hits and cursor change together, and a hit already held
 * is ignored. For tests, which ask it what would have been credited.
 */
import type { Address20 } from './address.ts'
import type { BlockRef } from './answers.ts'
import type { Hit, RefusedHit, Sweep, Watched } from './hit.ts'
import type { ReadFailure } from './read-error.ts'
import type { ChainReader } from './reader.ts'
import { type ScanInput, type Scanned, scan } from './scan.ts'

export interface Teller {
  readonly credits: ReadonlyMap<string, Hit>
  readonly sweeps: ReadonlyMap<string, Sweep>
  readonly refused: ReadonlyMap<string, RefusedHit>
  /** Why passes stopped, and how often. */
  readonly stops: ReadonlyMap<ReadFailure, number>
  readonly cursor: () => BlockRef | null
  /** Makes one pass; answers what it said. */
  pass(): Promise<Scanned | ReadFailure>
  /** Makes passes until the cursor stands at the solid head, or at `to`: a node may hold back what its head is. */
  catchUp(until?: { readonly to?: number; readonly maxPasses?: number }): Promise<void>
  total(): bigint
  totalOf(address: Address20): bigint
}

export function createTeller(
  reader: ChainReader,
  contract: Address20,
  addresses: readonly Address20[],
  options: Pick<ScanInput, 'method' | 'limits'> & {
    readonly isForgetful?: boolean
    readonly cursor?: BlockRef
  } = {},
): Teller {
  const ours = new Set(addresses)
  const credits = new Map<string, Hit>()
  const sweeps = new Map<string, Sweep>()
  const refused = new Map<string, RefusedHit>()
  const stops = new Map<ReadFailure, number>()
  const known = new Set<string>()
  let cursor: BlockRef | null = options.cursor ?? null

  const pass: Teller['pass'] = async () => {
    const watched = watchedOf(ours)
    const isKnown = (txid: string) => !options.isForgetful && known.has(txid)
    const { method, limits } = options
    const result = await scan({ reader, contract, cursor, watched, isKnown, method, limits })
    if (result.kind === 'stopped') {
      stops.set(result.why, (stops.get(result.why) ?? 0) + 1)
      return result.why
    }
    for (const hit of result.hits) {
      const identity = `${hit.txid}:${hit.position}`
      if (!credits.has(identity)) credits.set(identity, hit)
      known.add(hit.txid)
    }
    for (const sweep of result.sweeps) {
      sweeps.set(`${sweep.txid}:${sweep.position}`, sweep)
      known.add(sweep.txid)
    }
    for (const each of result.refused) refused.set(`${each.txid}:${each.position}`, each)
    cursor = result.cursor
    return result
  }

  return {
    credits,
    sweeps,
    refused,
    stops,
    cursor: () => cursor,
    pass,
    async catchUp({ to, maxPasses = 2000 } = {}) {
      for (let passes = 0; passes < maxPasses; passes++) {
        const result = await pass()
        if (typeof result !== 'string' && result.cursor.height === (to ?? result.head.height)) return
      }
      throw new Error(`the cursor stands still: ${JSON.stringify([...stops])}`)
    },
    total: () => sum([...credits.values()]),
    totalOf: address => sum([...credits.values()].filter(hit => hit.to20 === address)),
  }
}

/** Addresses in memory as the scanner asks for them. */
export const watchedOf = (ours: ReadonlySet<Address20>): Watched => ({
  list: async most => (ours.size > most ? null : [...ours]),
  oursAmong: async addresses => ours.intersection(new Set(addresses)),
})

const sum = (hits: readonly Hit[]) => hits.reduce((total, hit) => total + hit.amount, 0n)

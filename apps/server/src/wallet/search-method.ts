import { toBase58 } from '@ingot/tron/address'
import { probeLogIndex } from '@ingot/tron/probe'
import type { Logger } from 'pino'
import type { Chain } from './chain.ts'

const probeEveryMs = 3_600_000

export interface SearchNeeds {
  readonly chain: Chain
  readonly log: Logger
}

/**
 * A node's log index can have holes and answer them as "nothing". It is compared with whole blocks at start and hourly;
 * while holes are found, whole blocks are read instead, which is slower and complete.
 */
export function createSearchMethod({ chain, log }: SearchNeeds): () => Promise<'blocks' | undefined> {
  let probedAt = -Infinity
  let method: 'blocks' | undefined
  return async () => {
    if (chain.isTestNetwork || Date.now() - probedAt < probeEveryMs) return method
    const health = await probeLogIndex(chain.reader, toBase58(chain.contract)).catch(
      () => 'unproven' as const,
    )
    if (health === 'holes')
      log.error({ chain: chain.name }, 'the log index of the TRON endpoint has holes: whole blocks are read')
    if (health !== 'unproven') method = health === 'holes' ? 'blocks' : undefined
    probedAt = Date.now()
    return method
  }
}

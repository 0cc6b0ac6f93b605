import { toBase58 } from '@ingot/tron/address'
import type { Endpoint } from '@ingot/tron/endpoints'
import { probeLogIndex } from '@ingot/tron/probe'
import type { Logger } from 'pino'
import type { Chain } from './chain.ts'

const probeEveryMs = 3_600_000

export interface SearchNeeds {
  readonly chain: Chain
  readonly log: Logger
}

/**
 * A node's log index can have holes and answer them as "nothing". Each endpoint's is compared with whole blocks at first
 * and hourly; while holes are found, whole blocks are read there instead, which is slower and complete.
 */
export function createSearchMethod({
  chain,
  log,
}: SearchNeeds): (endpoint: Endpoint) => Promise<'blocks' | undefined> {
  const probes = new Map<Endpoint, { readonly at: number; readonly method: 'blocks' | undefined }>()
  return async endpoint => {
    const last = probes.get(endpoint)
    if (chain.isTestNetwork || (last && Date.now() - last.at < probeEveryMs)) return last?.method
    const health = await probeLogIndex(endpoint.reader, toBase58(chain.contract)).catch(
      () => 'unproven' as const,
    )
    if (health === 'holes')
      log.error(
        { chain: chain.name, endpoint: endpoint.name },
        'the log index of the TRON endpoint has holes: whole blocks are read',
      )
    const method = health === 'unproven' ? last?.method : health === 'holes' ? 'blocks' : undefined
    probes.set(endpoint, { at: Date.now(), method })
    return method
  }
}

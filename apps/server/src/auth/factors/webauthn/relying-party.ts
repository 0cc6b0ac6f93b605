import { isIP } from 'node:net'

export interface RelyingParty {
  readonly id: string
  readonly origin: string
}

/**
 * Whom security keys answer to: the public address, whatever a caller names. Null where no browser lets them answer: at
 * an IP address, and without TLS on any host but this machine.
 */
export function relyingPartyOf({ siteUrl }: { siteUrl: string }): RelyingParty | null {
  const { hostname, origin, protocol } = new URL(siteUrl)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (isIP(hostname.replaceAll(/[[\]]/g, '')) || !(isLocal || protocol === 'https:')) return null
  return { id: hostname, origin }
}

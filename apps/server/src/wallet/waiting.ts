/**
 * Deposit addresses that somebody looks at right now. The scanner looks often, and at blocks that are not final, only
 * for these.
 */
const waitMs = 10 * 60_000

export interface Waiting {
  /** Somebody opened this address (20 bytes, hex). */
  add(address20: string): void
  any(): boolean
  addresses(): string[]
}

export function createWaiting(now: () => number = Date.now): Waiting {
  const until = new Map<string, number>()
  const prune = () => {
    for (const [address, end] of until) if (end < now()) until.delete(address)
  }
  return {
    add: address => void until.set(address, now() + waitMs),
    any: () => (prune(), until.size > 0),
    addresses: () => (prune(), [...until.keys()]),
  }
}

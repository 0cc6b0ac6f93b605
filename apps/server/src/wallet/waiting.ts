/** Who looks at a deposit address right now: the scanner looks often, and at blocks that are not final, only for them. */
const waitMs = 10 * 60_000

export interface Waiting {
  /** Somebody opened this address (20 bytes, hex). */
  note(address20: string): void
  any(): boolean
  addresses(): string[]
}

export function createWaiting(now: () => number = Date.now): Waiting {
  const until = new Map<string, number>()
  const prune = () => {
    for (const [address, end] of until) if (end < now()) until.delete(address)
  }
  return {
    note: address => void until.set(address, now() + waitMs),
    any: () => (prune(), until.size > 0),
    addresses: () => (prune(), [...until.keys()]),
  }
}

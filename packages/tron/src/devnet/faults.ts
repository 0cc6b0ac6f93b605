/**
 * A plan of misbehaviour: what a node, or the load balancer in front of many, does to requests. Rules apply in the
 * order they were added, the first that matches wins. Chance comes from a seed, so a bad run can be had again.
 */
export const faultKinds = [
  'error_200',
  'limited',
  'suspended',
  'unavailable',
  'lite',
  'unknown',
  'stale',
  'slow',
  'truncated',
  'dropped',
  'no_index',
] as const

/**
 * `error_200`: status 200 with an `Error`. `limited` 429, `suspended` 403, `unavailable` 503. `lite`: a bare sentence.
 * `unknown`: nothing is known (`{}`, null, or no logs). `stale`: as a node that is `blocks` behind. `slow`: after
 * `ms`. `truncated`: half the answer. `dropped`: the connection ends. `no_index`: filtered logs come back empty while
 * all else is right.
 */
export type FaultKind = (typeof faultKinds)[number]

export interface FaultRule {
  readonly kind: FaultKind
  /** Tested against `wallet/getnowblock`, `jsonrpc eth_getLogs`, `v1/…`. Every request when absent. */
  readonly on?: RegExp
  /** How often it strikes before it is used up. */
  readonly times?: number
  /** 0 … 1 */
  readonly chance?: number
  readonly ms?: number
  readonly blocks?: number
}

export interface Faults {
  add(rule: FaultRule): void
  clear(): void
  /** The rule that strikes this request, if one does. */
  strike(request: string): FaultRule | null
  /** How often each kind struck. */
  readonly struck: ReadonlyMap<FaultKind, number>
}

export function createFaults(seed: number): Faults {
  const random = seededRandom(seed)
  const struck = new Map<FaultKind, number>()
  let rules: { rule: FaultRule; left: number }[] = []
  return {
    struck,
    add: rule => void rules.push({ rule, left: rule.times ?? Number.POSITIVE_INFINITY }),
    clear: () => void (rules = []),
    strike(request) {
      for (const each of rules) {
        const { on, chance, kind } = each.rule
        if (each.left <= 0 || (on && !on.test(request))) continue
        if (chance !== undefined && random() >= chance) continue
        each.left--
        struck.set(kind, (struck.get(kind) ?? 0) + 1)
        return each.rule
      }
      return null
    },
  }
}

/** Mulberry32: small, fast, and the same everywhere. Not for secrets. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** What a meter is in the model of a wallet, and how far a look stands for it. */

export interface Kind {
  readonly isLookedAt: boolean
  readonly renewsMs: number | null
  readonly graceDays: number | null
  readonly returns: boolean
}

export interface Source {
  observedAt: number
  readonly graceMs: number
}

export interface Budget {
  /** None from this month on. */
  limit: bigint | null
  stops: boolean
  /** The highest share that was told, or had passed when it was set. */
  told: number
}

export interface Meter {
  readonly id: string
  readonly kind: Kind
  readonly source: Source | null
  readonly openedAt: number
  paidUntil: number | null
  /** It closes when its term ends. */
  endsWithTerm: boolean
  /** It never ran. */
  isNew: boolean
  extendedMs: number
  /** Up to when it was extended last. */
  extendedTo: number
  price: bigint
  /** What a month costs; null: its hours. */
  month: bigint | null
  prepaid: bigint
  /** How much of what is prepaid is credit: it is used first. */
  credit: bigint
  /** What was charged, with how much of it was paid in money. */
  readonly lines: { readonly from: number; readonly to: number; money: bigint }[]
  /** Of a micro-USD, what the last charge rounded off. */
  remainder: bigint
  meteredTo: number | null
  /** Where a run ended that no last look has confirmed. */
  endedAt: number | null
  seenAt: number
  isMissed: boolean
  renewsAt: number | null
  lapsedAt: number | null
  /** The end of its last line. */
  lineTo: number
  /** What was prepaid went back: it never runs again. */
  isOver: boolean
  /** All that was charged and not returned. */
  charged: bigint
  openMs: number
  /** When what is prepaid was last paid. */
  paidAt: number
  /** What the wallet paid for it, less what returned. */
  spent: bigint
  budget: Budget | null
}

export const lastSeen = (m: Meter) => (m.isMissed ? m.seenAt : Math.max(m.seenAt, m.source!.observedAt))
export const horizon = (m: Meter) => (m.source ? lastSeen(m) + m.source.graceMs : Number.POSITIVE_INFINITY)

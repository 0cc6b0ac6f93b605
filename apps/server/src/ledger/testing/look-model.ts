import type { Source } from './meter-model.ts'
import type { Wallet } from './wallet-model.ts'

/** A round of looks at a source: one time stands for all its runs but those that it names. */
export function look(
  wallets: readonly Wallet[],
  source: Source,
  lookedAt: number,
  missed: ReadonlySet<string>,
  at: number,
): void {
  const observedAt = source.observedAt
  // Also where the horizon is about to pass: who is settled a moment later may not know of this look yet.
  const soon = at + 30_000
  const isLate = observedAt + source.graceMs < soon && lookedAt > observedAt
  for (const wallet of wallets) {
    let isGap = false
    for (const m of wallet.meters.values()) {
      if (m.source !== source || m.meteredTo === null) continue
      if (missed.has(m.id)) {
        if (!m.isMissed) m.seenAt = Math.max(m.seenAt, observedAt)
        m.isMissed = true
      } else if (m.isMissed) {
        if (m.seenAt + source.graceMs < soon) isGap = true
        m.isMissed = false
        m.seenAt = Math.max(m.seenAt, lookedAt)
      } else if (isLate) isGap = true
    }
    if (isGap && (wallet.dueAt === null || wallet.dueAt > at)) wallet.dueAt = at
  }
  source.observedAt = Math.max(observedAt, lookedAt)
}

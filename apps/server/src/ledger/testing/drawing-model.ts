/** What the running meters of a wallet draw on it, and how long it covers that. Times and units are those of `wallet-model.ts`. */
import { horizon, type Meter } from './meter-model.ts'

export const perMicro = 3_600_000n
const least = Math.min
export const floor = (exact: bigint) => exact / perMicro
export const afterTerm = (m: Meter, from: number, to: number) =>
  BigInt(Math.max(0, to - Math.max(from, m.paidUntil ?? from)))
/** What a month in advance costs. */
export const monthly = (m: Meter) => m.month ?? floor(m.price * BigInt(m.kind.renewsMs!))
export const forUsage = (m: Meter) => (m.paidUntil === null ? m.prepaid : 0n)

export abstract class Drawing {
  readonly meters = new Map<string, Meter>()
  /** What there is for what is drawn up to `until`. */
  protected abstract funds(until: number, now: number | null): bigint

  running(): Meter[] {
    return [...this.meters.values()].filter(m => m.meteredTo !== null)
  }
  /** What was charged up to its horizon uses nothing until a look finds it. */
  protected drawing(): Meter[] {
    return this.running().filter(m => m.meteredTo! < horizon(m))
  }
  /** What is drawn up to `t` beyond what is prepaid for each. With `now` it is a forecast, next months included. */
  drawn(t: number, now: number | null = null, meters = this.running()): bigint {
    let sum = 0n
    for (const m of meters) {
      const isSeen = now !== null && horizon(m) >= now
      const until = least(t, m.renewsAt ?? t, isSeen ? t : horizon(m))
      const used = m.price * afterTerm(m, m.meteredTo!, until) + m.remainder - forUsage(m) * perMicro
      if (used > 0n) sum += used
      if (now !== null && m.kind.renewsMs !== null && m.renewsAt !== null && m.renewsAt <= t)
        sum += monthly(m) * perMicro * BigInt(Math.floor((t - m.renewsAt) / m.kind.renewsMs!) + 1)
    }
    return sum
  }

  accrued(t: number): bigint {
    return floor(this.drawn(t))
  }
  /**
   * The last millisecond of [from, until] that the balance, or another limit, covers. What was rounded off of several meters may exceed it
   * before anything is drawn: then it is the last one at which nothing is.
   */
  lastsUntil(
    from: number,
    until: number,
    now: number | null = null,
    most = this.funds(until, now),
    meters = this.running(),
  ): number {
    const before = this.drawn(Number.NEGATIVE_INFINITY, now, meters)
    const covers = (t: number) => {
      const drawn = this.drawn(t, now, meters)
      return floor(drawn) <= most || drawn === before
    }
    if (covers(until)) return until
    let [low, high] = [from, until]
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (covers(middle)) low = middle
      else high = middle
    }
    return low
  }
}

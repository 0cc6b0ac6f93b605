/**
 * What a wallet and its meters must be, from the rules in docs/money.md alone: pure, exact, and slow where the ledger is
 * quick (the end of the money is found by halving a span, not in closed form). The simulation holds the ledger against
 * it. Times are milliseconds; what is used is counted in micro-USD × ms, an hour of them to the micro-USD.
 */
import { Budgets, monthEnd, monthOf } from './budget-model.ts'
import { Credit } from './credit-model.ts'
import { afterTerm, Drawing, floor, forUsage, monthly, perMicro } from './drawing-model.ts'
import { horizon, lastSeen, type Meter } from './meter-model.ts'
import { crossings, farthest, under } from './runway-model.ts'

const hour = 3_600_000
const day = 24 * hour
const least = Math.min
const graceEnd = (m: Meter) => m.lapsedAt! + m.kind.graceDays! * day

export class Wallet extends Drawing {
  balance = 0n
  held = 0n
  dueAt: number | null = null
  /** The smallest threshold that its runway is below: the fall below it was told. */
  under: number | null = null
  readonly budgets = new Budgets(this)
  readonly credit = new Credit(this)

  private lapsed(): Meter[] {
    return [...this.meters.values()].filter(m => m.lapsedAt !== null)
  }

  /** What is there for a charge at `t`. */
  free(t: number): bigint {
    return this.money(t) + this.credit.left(t)
  }
  /** Beside what has accrued and credit does not pay. */
  money(t: number): bigint {
    return this.balance - this.accrued(t) + this.credit.covers(t)
  }

  protected funds(until: number, now: number | null): bigint {
    return this.balance + this.credit.covers(until, now)
  }

  /** All that runs, up to `t` or its horizon; each month apart. */
  private charge(t: number): void {
    const parts: { to: number; id: string; micro: bigint; pay: (credit: bigint) => void }[] = []
    for (const m of this.running()) {
      const end = least(t, horizon(m))
      while (m.meteredTo! < end) {
        const until = least(end, monthEnd(m.meteredTo!))
        const used = m.price * afterTerm(m, m.meteredTo!, until) + m.remainder
        const amount = floor(used)
        const prepaid = amount < forUsage(m) ? amount : forUsage(m)
        const ofPrepaid = prepaid < m.credit ? prepaid : m.credit
        m.prepaid -= prepaid
        m.credit -= ofPrepaid
        const line = { from: m.meteredTo!, to: until, money: prepaid - ofPrepaid }
        m.lines.push(line)
        const own = amount - prepaid
        parts.push({ to: until, id: m.id, micro: own, pay: credit => (line.money += own - credit) })
        this.budgets.count(m, monthOf(m.meteredTo!), own)
        m.charged += amount
        m.remainder = used % perMicro
        m.openMs += until - m.meteredTo!
        m.meteredTo = until
        m.lineTo = until
        if (m.paidUntil !== null && m.paidUntil <= until) m.prepaid = m.credit = 0n
      }
    }
    // What is first in time takes the credit first.
    for (const { micro, pay } of parts.toSorted((a, b) => a.to - b.to || (a.id < b.id ? -1 : 1)))
      pay(this.pay(micro))
  }
  protected payInMoney(micro: bigint): bigint {
    this.balance -= micro
    return 0n
  }
  /** Returns how much of it credit paid. */
  protected pay(micro: bigint): bigint {
    const credit = this.credit.use(micro)
    this.balance -= micro - credit
    return credit
  }

  private end(m: Meter, isDry: boolean): void {
    if (m.source) m.seenAt = lastSeen(m)
    m.isMissed = m.source !== null
    m.endedAt = m.kind.isLookedAt ? m.meteredTo : null
    m.lapsedAt = isDry && m.kind.graceDays !== null ? m.meteredTo : null
    m.meteredTo = null
    m.renewsAt = null
  }

  /** From event to event up to `at`. */
  settle(at: number): void {
    let isThere = false
    for (;;) {
      const ends = [
        ...this.running().map(m => m.renewsAt ?? Number.POSITIVE_INFINITY),
        ...this.lapsed().map(graceEnd),
        this.credit.dueAt,
      ].filter(end => end <= at)
      const months = this.budgets.exist() ? this.drawing().map(m => monthEnd(m.meteredTo!)) : []
      const next = least(at, ...ends, ...months)
      const behind = this.drawing().filter(m => m.meteredTo! < next)
      if (isThere || (behind.length === 0 && ends.length === 0)) {
        if (!this.revive(at)) break
        isThere = false
        continue
      }
      const from = least(next, ...behind.map(m => m.meteredTo!))
      const covered = this.lastsUntil(from, next)
      const used = this.budgets.lasts(from, next)
      const last = least(covered, ...used.map(each => each.last))
      this.charge(last)
      if (last < next) {
        const ending = this.drawing().filter(m => {
          const isInTerm = m.paidUntil !== null && m.paidUntil > last
          return m.meteredTo === last && !isInTerm && m.price + m.remainder > forUsage(m) * perMicro
        })
        if (ending.length === 0) throw new Error(`a wallet that does not cover ${last} draws nothing`)
        if (covered === last) for (const m of ending) this.end(m, true)
        for (const { own } of used.filter(each => each.last === last)) {
          for (const m of this.budgets.end(own, last, ending)) if (m.meteredTo !== null) this.end(m, false)
        }
        continue
      }
      this.credit.lapse(next)
      this.renew(next)
      for (const m of this.lapsed()) {
        if (graceEnd(m) > next) continue
        m.lapsedAt = null
        this.empty(m, at)
      }
      isThere = next === at
    }
    this.budgets.note(at)
    this.refresh(at)
  }

  private payMonth(m: Meter, at: number): void {
    m.credit += this.credit.endsAt > at ? this.pay(monthly(m)) : this.payInMoney(monthly(m))
    m.prepaid += monthly(m)
    if (monthly(m) > 0n) m.paidAt = at
    this.budgets.count(m, monthOf(at), monthly(m))
  }

  private renew(at: number): void {
    let left = this.free(at)
    for (const m of this.running()) {
      if (m.renewsAt === null || m.renewsAt > at) continue
      if (m.kind.renewsMs === null) {
        this.end(m, false)
        continue
      }
      if (monthly(m) > left) {
        this.end(m, true)
        continue
      }
      left -= monthly(m)
      this.payMonth(m, at)
      m.renewsAt += m.kind.renewsMs!
    }
  }

  private revive(at: number): boolean {
    let left = this.free(at)
    let isChanged = false
    for (const m of this.lapsed()) {
      if (monthly(m) > left) continue
      left -= monthly(m)
      this.payMonth(m, at)
      m.meteredTo = m.lapsedAt
      m.renewsAt = m.lapsedAt! + m.kind.renewsMs!
      m.lapsedAt = null
      isChanged = true
    }
    return isChanged
  }

  /** The timer. What was charged up to its horizon waits for a look. */
  refresh(at: number): void {
    let next = Number.POSITIVE_INFINITY
    for (const m of this.drawing()) {
      next = least(next, m.meteredTo! + hour, m.renewsAt ?? next)
      if (this.budgets.exist()) next = least(next, monthEnd(m.meteredTo!))
      if (m.paidUntil !== null && m.paidUntil > m.meteredTo!) next = least(next, m.paidUntil)
      if (forUsage(m) > 0n && m.price > 0n) {
        const left = forUsage(m) * perMicro - m.remainder
        next = least(next, m.meteredTo! + Number((left + m.price - 1n) / m.price))
      }
    }
    for (const m of this.lapsed()) next = least(next, graceEnd(m))
    next = least(next, this.credit.dueAt)
    if (next === Number.POSITIVE_INFINITY) {
      this.under = null
      this.dueAt = null
      return
    }
    if (next > at) {
      // What ran out before is due at once.
      const began = least(at, ...this.drawing().map(m => m.meteredTo!))
      const used = this.budgets.due(began, next, at)
      const last = this.lastsUntil(began, next + farthest, at)
      const isFar = last === next + farthest
      this.under = under(isFar ? Number.POSITIVE_INFINITY : last, at, this.under)
      next = least(next, used, ...(isFar ? [] : [last + 1, ...crossings(last, at)]))
    }
    this.dueAt = next
  }

  settleBefore(at: number): void {
    if (this.running().length + this.lapsed().length > 0 || this.credit.endsAt <= at) this.settle(at)
  }
  protected arrive(at: number): void {
    if (this.lapsed().length > 0) this.settle(at)
    else this.refresh(at)
  }

  /** Of a deposit the first may bring credit with it, until `creditEndsAt`. */
  add(micro: bigint, at: number, creditEndsAt: number | null = null): void {
    this.settleBefore(at)
    this.balance += micro
    if (creditEndsAt !== null) this.credit.grant(creditEndsAt)
    this.arrive(at)
  }

  /** False: refused. */
  hold(micro: bigint, at: number): boolean {
    if (this.money(at) < micro) return false
    this.balance -= micro
    this.held += micro
    this.refresh(at)
    return true
  }

  release(micro: bigint, at: number, isFree = true): void {
    this.settleBefore(at)
    this.held -= micro
    this.balance += micro
    this[isFree ? 'arrive' : 'refresh'](at)
  }

  /** Why it is refused; null: it is made. */
  deploy(
    meter: Pick<Meter, 'id' | 'kind' | 'source' | 'price' | 'paidUntil'>,
    total: bigint,
    at: number,
  ): 'funds' | 'budget' | null {
    if (this.free(at) < total) return 'funds'
    if (this.budgets.refuses(total, at)) return 'budget'
    const credit = this.credit.endsAt > at ? this.pay(total) : this.payInMoney(total)
    const made: Meter = {
      ...meter,
      month: meter.kind.renewsMs === null ? null : total,
      openedAt: at,
      endsWithTerm: false,
      isNew: true,
      extendedMs: 0,
      extendedTo: 0,
      prepaid: total,
      credit,
      lines: [],
      remainder: 0n,
      meteredTo: null,
      endedAt: null,
      seenAt: at,
      isMissed: false,
      renewsAt: null,
      lapsedAt: null,
      isOver: false,
      lineTo: 0,
      charged: 0n,
      openMs: 0,
      paidAt: at,
      spent: 0n,
      budget: null,
    }
    this.meters.set(meter.id, made)
    this.budgets.count(made, monthOf(at), total)
    this.budgets.note(at)
    this.refresh(at)
    return null
  }

  open(m: Meter, at: number): void {
    if (m.meteredTo === null) {
      m.isNew = false
      m.meteredTo = Math.max(at, m.lineTo)
      m.seenAt = m.meteredTo
      m.isMissed = false
      m.endedAt = null
      m.renewsAt = this.paidFrom(m)
    }
    this.refresh(at)
  }

  /** Where what is paid for ends, of one that is open: its month, or a term that it ends with. */
  private paidFrom(m: Meter): number | null {
    if (m.meteredTo === null) return null
    if (m.kind.renewsMs !== null) return m.meteredTo + m.kind.renewsMs
    return m.endsWithTerm && m.paidUntil !== null && m.paidUntil > m.meteredTo ? m.paidUntil : null
  }

  /** False: there is no term that could end. */
  chooseTermEnd(m: Meter, stops: boolean, at: number): boolean {
    const isOver = m.meteredTo !== null && m.paidUntil !== null && m.meteredTo >= m.paidUntil
    if (m.paidUntil === null || m.paidUntil <= at || isOver) return false
    m.endsWithTerm = stops
    m.renewsAt = this.paidFrom(m)
    this.refresh(at)
    return true
  }

  /** An outage from `from` to `to`. */
  extend(m: Meter, from: number, to: number, at: number): void {
    const began = Math.max(from, m.openedAt, m.extendedTo)
    if (m.paidUntil === null || m.paidUntil <= began || to <= began || m.lineTo > m.paidUntil) return
    m.paidUntil += to - began
    if (m.renewsAt !== null) m.renewsAt += to - began
    m.extendedMs += to - began
    m.extendedTo = to
    this.refresh(at)
  }

  see(m: Meter, seenAt: number, at: number): void {
    if (m.meteredTo === null || seenAt <= lastSeen(m)) return
    const before = horizon(m)
    m.seenAt = seenAt
    if (before <= Math.max(at, m.meteredTo)) this.settle(at)
  }

  close(m: Meter, at: number): void {
    this.settle(at)
    if (m.meteredTo !== null) this.end(m, false)
    m.lapsedAt = null
    this.refresh(at)
  }

  /** A last look: the run ended at `end`, never before it was last seen. */
  confirm(m: Meter, end: number, at: number): void {
    const to = m.meteredTo ?? m.endedAt
    if (to === null) return
    const truly = Math.max(end, least(lastSeen(m), to))
    if (truly > to) {
      m.meteredTo = to
      m.seenAt = truly
      m.isMissed = true
      this.close(m, truly)
    } else if (truly < to) {
      const excess = m.price * afterTerm(m, truly, to) - m.remainder
      const back = excess > 0n ? (excess + perMicro - 1n) / perMicro : 0n
      m.remainder = back * perMicro - excess
      m.charged -= back
      m.openMs -= to - truly
      // Of what was paid for that time the money comes back first.
      const paid = m.lines.filter(l => l.to > truly && l.from < to).reduce((sum, l) => sum + l.money, 0n)
      this.balance += back < paid ? back : paid
      if (back > paid) this.credit.giveBack(back - paid, at)
      if (back > 0n) this.budgets.count(m, monthOf(at), -back)
    }
    if (m.meteredTo !== null) this.end(m, false)
    m.endedAt = null
    this.arrive(at)
  }

  /** What is left of what was prepaid. */
  private rest(m: Meter, at: number): bigint {
    if (!m.kind.returns) return 0n
    if (m.paidUntil === null) return m.prepaid
    if (at >= m.paidUntil) return 0n
    const kept = floor(m.price * BigInt(Math.max(0, at - m.openedAt - m.extendedMs)))
    return m.prepaid > kept ? m.prepaid - kept : 0n
  }
  private empty(m: Meter, at: number): void {
    const rest = this.rest(m, at)
    const used = m.prepaid - rest
    const credit = m.credit > used ? m.credit - used : 0n
    this.balance += rest - credit
    this.credit.giveBack(credit, at)
    if (rest > 0n) this.budgets.count(m, monthOf(m.paidAt), -rest)
    m.prepaid = m.credit = 0n
    m.isOver = true
  }

  failFirstStart(m: Meter, at: number): void {
    if (m.prepaid === 0n) return
    this.balance += m.prepaid - m.credit
    this.credit.giveBack(m.credit, at)
    this.budgets.count(m, monthOf(m.openedAt), -m.prepaid)
    m.prepaid = m.credit = 0n
    m.paidUntil = null
    m.endsWithTerm = false
    this.arrive(at)
  }

  giveBack(m: Meter, at: number): void {
    this.empty(m, at)
    this.arrive(at)
  }
}

/** What budgets must be: limits of what is drawn, of one meter over its life, of all in a month of UTC. */
import type { Budget, Meter } from './meter-model.ts'

/** A limit, what was spent under it, and what draws on it. */
interface Limit extends Budget {
  readonly limit: bigint
  readonly spent: bigint
  readonly meters: Meter[]
  /** Null: the account's. */
  readonly own: Meter | null
}

/** What a wallet knows of drawing. */
interface Drawing {
  readonly meters: ReadonlyMap<string, Meter>
  running(): Meter[]
  /** Micro-USD × ms. */
  drawn(t: number, now: number | null, meters: Meter[]): bigint
  lastsUntil(from: number, until: number, now: number | null, most: bigint, meters: Meter[]): number
  settle(at: number): void
  refresh(at: number): void
}

const perMicro = 3_600_000n
/** The months of UTC since the year 0. */
export const monthOf = (t: number) => new Date(t).getUTCFullYear() * 12 + new Date(t).getUTCMonth()
const monthStart = (month: number) => Date.UTC(Math.floor(month / 12), month % 12)
export const monthEnd = (t: number) => monthStart(monthOf(t) + 1)

const shares = [50, 80, 100]
const share = (limit: bigint, percent: number) => (limit * BigInt(percent) + 99n) / 100n
const usedOf = (spent: bigint, limit: bigint) => shares.filter(percent => spent >= share(limit, percent))
const tell = (budget: Budget, spent: bigint) => {
  if (budget.limit !== null) budget.told = Math.max(budget.told, ...usedOf(spent, budget.limit))
}

export class Budgets {
  /** Of the account, by month: each in which it was set, or something was spent under it. */
  private readonly months = new Map<number, Budget>()
  private readonly spent = new Map<number, bigint>()
  private readonly wallet: Drawing
  constructor(wallet: Drawing) {
    this.wallet = wallet
  }

  exist(): boolean {
    return this.months.size > 0 || [...this.wallet.meters.values()].some(m => m.budget)
  }

  /** What the wallet paid for a meter, or what returned. */
  count(m: Meter, month: number, micro: bigint): void {
    m.spent += micro
    this.spent.set(month, this.spentIn(month) + micro)
    this.rowOf(month)
  }
  spentIn(month: number): bigint {
    return this.spent.get(month) ?? 0n
  }
  /** The last one up to a month holds in it. */
  private holdsIn(month: number): Budget | null {
    const last = Math.max(...[...this.months.keys()].filter(each => each <= month))
    const budget = this.months.get(last)
    return budget && budget.limit !== null ? { ...budget, told: last === month ? budget.told : 0 } : null
  }
  /** That of the month itself. */
  private rowOf(month: number): Budget | null {
    const holds = this.holdsIn(month)
    if (holds && !this.months.has(month)) this.months.set(month, holds)
    return holds && this.months.get(month)!
  }
  /** What is paid by the month is never ended by a budget, and so draws on none. */
  private drawing(): Meter[] {
    return this.wallet.running().filter(m => m.renewsAt === null)
  }
  private limits(month: number): Limit[] {
    const meters = this.drawing()
    const account = this.holdsIn(month)
    const own = [...this.wallet.meters.values()].filter(m => m.budget)
    return [
      ...(account
        ? [{ ...account, limit: account.limit!, spent: this.spentIn(month), meters, own: null }]
        : []),
      ...own.map(m => ({
        ...m.budget!,
        limit: m.budget!.limit!,
        spent: m.spent,
        meters: meters.filter(each => each === m),
        own: m,
      })),
    ]
  }

  /** What counts as spent, with what has accrued since the last charge: never beyond one that stops. */
  spentNow(t: number) {
    const start = monthStart(monthOf(t))
    return this.limits(monthOf(t)).map(({ limit, spent, stops, meters, own, told }) => {
      const before = own ? [] : meters.filter(m => m.meteredTo! < start)
      const accrued = (this.wallet.drawn(t, null, meters) - this.wallet.drawn(start, null, before)) / perMicro
      const room = limit > spent ? limit - spent : 0n
      return { id: own?.id ?? null, limit, told, spent: spent + (stops && accrued > room ? room : accrued) }
    })
  }

  /** Whether the account's refuses to pay so much now. */
  refuses(total: bigint, at: number): boolean {
    const account = this.spentNow(at).find(({ id }) => id === null)
    return account !== undefined && this.holdsIn(monthOf(at))!.stops && account.limit - account.spent < total
  }

  /** Each share is told once: of this month, and of the one before it. */
  note(at: number): void {
    if (!this.exist()) return
    const drawing = this.drawing()
    for (const [month, budget] of this.months) {
      if (month < monthOf(at) - 1) continue
      const accrued = month === monthOf(at) ? this.wallet.drawn(at, null, drawing) / perMicro : 0n
      tell(budget, this.spentIn(month) + accrued)
    }
    for (const m of this.wallet.meters.values()) {
      const own = drawing.filter(each => each === m)
      if (m.budget) tell(m.budget, m.spent + this.wallet.drawn(at, null, own) / perMicro)
    }
  }

  /** For each that stops the last millisecond of [from, until] that it covers. */
  lasts(from: number, until: number): { last: number; own: Meter | null }[] {
    return this.limits(monthOf(until - 1))
      .filter(({ stops }) => stops)
      .map(({ limit, spent, meters, own }) => ({
        last: this.wallet.lastsUntil(from, until, null, limit - spent, meters),
        own,
      }))
  }

  /** It is used up at `last`. Which of these it ends. */
  end(own: Meter | null, last: number, ending: readonly Meter[]): Meter[] {
    const row = own ? own.budget : this.rowOf(monthOf(last))
    row!.told = 100
    return ending.filter(m => m.renewsAt === null && (!own || own === m))
  }

  /** When one is used up, or the next share of one. */
  due(from: number, until: number, now: number): number {
    const reached = this.limits(monthOf(until - 1)).flatMap(({ limit, spent, stops, told, meters }) => {
      const ahead = shares.filter(p => p > told && share(limit, p) > spent && (p < 100 || !stops))
      const mosts = [...ahead.map(p => share(limit, p) - spent - 1n), ...(stops ? [limit - spent] : [])]
      return mosts.map(most => this.wallet.lastsUntil(from, until, now, most, meters))
    })
    return Math.min(until, ...reached.filter(last => last < until).map(last => last + 1))
  }

  /** No limit: it is removed. */
  set(own: Meter | null, limit: bigint | null, stops: boolean, at: number): void {
    const holds = own ? own.budget : this.holdsIn(monthOf(at))
    if (holds ? holds.limit === limit && holds.stops === stops : limit === null) return
    const runs = own ? own.meteredTo !== null : this.wallet.running().length > 0
    if (runs) this.wallet.settle(at)
    const spent = own ? own.spent : this.spentIn(monthOf(at))
    const told = limit === null ? 0 : Math.max(0, ...usedOf(spent, limit))
    if (own) own.budget = limit === null ? null : { limit, stops, told }
    else this.months.set(monthOf(at), { limit, stops, told })
    if (runs && stops && limit !== null) this.wallet.settle(at + 1)
    else this.wallet.refresh(at)
  }
}

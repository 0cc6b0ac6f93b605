/** Months that change: of what grows, or of which less is stored than was paid for. Times and units are those of `wallet-model.ts`. */
import { monthOf } from './budget-model.ts'
import { monthly } from './drawing-model.ts'
import type { Meter } from './meter-model.ts'
import { Wallet } from './wallet-model.ts'

export interface Growth {
  readonly key: string
  readonly micro: bigint
  readonly month: bigint
  readonly at: number
}

export class GrowingWallet extends Wallet {
  /** Paid for, and not there yet. */
  readonly growing = new Map<string, Growth>()

  /** Why it is refused; null: it is paid. Everything is settled up to then. */
  grow(m: Meter, growth: Growth): 'funds' | 'budget' | null {
    const { micro, at } = growth
    if (this.free(at) < micro) return 'funds'
    if (this.budgets.refuses(micro, at)) return 'budget'
    m.credit += this.credit.endsAt > at ? this.pay(micro) : this.payInMoney(micro)
    m.prepaid += micro
    this.budgets.count(m, monthOf(at), micro)
    this.budgets.note(at)
    this.growing.set(m.id, growth)
    this.refresh(at)
    return null
  }

  takeBackGrowth(m: Meter, { micro, at: paidAt }: Growth, at: number): void {
    this.settleBefore(at)
    this.growing.delete(m.id)
    this.giveBackSome(m, micro < m.prepaid ? micro : m.prepaid, paidAt, at)
  }

  setMonth(m: Meter, month: bigint, at: number): void {
    this.settleBefore(at)
    this.growing.delete(m.id)
    m.month = month
    m.price = month / 720n
    this.refresh(at)
  }

  lowerMonth(m: Meter, month: bigint, at: number): void {
    const back = monthly(m) - month
    if (back <= 0n) return
    m.month = month
    m.price = month / 720n
    this.giveBackSome(m, back, m.openedAt, at)
  }

  /** Money before credit. */
  private giveBackSome(m: Meter, back: bigint, paidAt: number, at: number): void {
    if (back === 0n) return
    const left = m.prepaid - back
    const credit = m.credit > left ? m.credit - left : 0n
    m.prepaid = left
    m.credit -= credit
    this.balance += back - credit
    this.credit.giveBack(credit, at)
    this.budgets.count(m, monthOf(paidAt), -back)
    this.arrive(at)
  }
}

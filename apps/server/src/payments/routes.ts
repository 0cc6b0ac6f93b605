import type { payments } from '@ingot/contracts/payments'
import type { Clock } from '../db/clock.ts'
import type { Handlers } from '../http/bind.ts'
import type { Chain } from '../wallet/chain.ts'
import type { Signals } from '../worker/signals.ts'
import { correctWallet } from './correct-wallet.ts'
import { decidePayment } from './decide-payment.ts'
import { exportPayments } from './export-payments.ts'
import { listPayments } from './queries.ts'

interface PaymentNeeds {
  readonly chain: Chain
  readonly clock: Clock
  readonly signals: Signals
}

export function paymentRoutes({ chain, clock, signals }: PaymentNeeds): Handlers<typeof payments> {
  const wake = (userId: string) => () => {
    signals.send(`user:${userId}`)
    signals.send('wallets')
  }
  return {
    list: (input, { db }) => listPayments(db, input),
    export: async (filter, { db }) => exportPayments(db, filter),
    approve: async (input, { db, afterCommit }) => {
      const payment = await decidePayment(db, chain, 'approve', input, clock.iso())
      afterCommit(wake(payment.user_id))
      return payment
    },
    reject: async (input, { db, afterCommit }) => {
      const payment = await decidePayment(db, chain, 'reject', input, clock.iso())
      afterCommit(wake(payment.user_id))
      return payment
    },
    credit: async (input, { db, afterCommit }) => {
      const corrected = await correctWallet(db, input, 1n, clock.iso())
      afterCommit(wake(input.id))
      return corrected
    },
    debit: async (input, { db, afterCommit }) => {
      const corrected = await correctWallet(db, input, -1n, clock.iso())
      afterCommit(wake(input.id))
      return corrected
    },
  }
}

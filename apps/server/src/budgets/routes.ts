import type { budgets } from '@ingot/contracts/budgets'
import type { Clock } from '../db/clock.ts'
import type { Handlers } from '../http/bind.ts'
import { lockWallet } from '../ledger/ledger.ts'
import type { Signals } from '../worker/signals.ts'
import { assertOwnInstance, getBudgets } from './queries.ts'
import { setBudget } from './set-budget.ts'

export function budgetRoutes({
  clock,
  signals,
}: {
  clock: Clock
  signals: Signals
}): Handlers<typeof budgets> {
  return {
    get: (_, { db, caller }) => getBudgets(db, caller.userId, clock.iso()),
    set: async (wish, { db, caller: { userId }, afterCommit }) => {
      await lockWallet(db, userId)
      if (wish.instance_id) await assertOwnInstance(db, userId, wish.instance_id)
      // Read once the wallet is ours: a settlement that went before us must not have charged past this moment.
      const at = clock.iso()
      await setBudget(db, userId, wish, at)
      afterCommit(() => {
        // What it stopped is to be ended, and the wallet's timer is another.
        signals.send('gpu_instances')
        signals.send('wallets')
        signals.send(`user:${userId}`)
      })
      return getBudgets(db, userId, at)
    },
  }
}

import type { withdrawals } from '@ingot/contracts/withdrawals'
import { placesOf } from '../auth/visitor.ts'
import type { Handlers } from '../http/bind.ts'
import type { Signals } from '../worker/signals.ts'
import { cancelWithdrawal } from './cancel-withdrawal.ts'
import { refuseWithdrawal, setRefundAddress, takePayout } from './handle-payout.ts'
import { getTerms, getWithdrawal, listPayouts, listWithdrawals } from './queries.ts'
import { type RequestNeeds, requestWithdrawal } from './request-withdrawal.ts'

interface WithdrawalNeeds extends RequestNeeds {
  readonly signals: Signals
}

export function withdrawalRoutes(needs: WithdrawalNeeds): Handlers<typeof withdrawals> {
  const { config, clock, vault, signals } = needs
  const wake = (userId: string) => () => {
    signals.send(`user:${userId}`)
    signals.send('wallets')
  }
  return {
    list: (input, { db, caller }) => listWithdrawals(db, caller.userId, input),
    terms: (_, { db, caller }) => getTerms(db, config, caller, clock.iso()),
    request: async (wish, { caller, request, afterCommit }) => {
      const withdrawal = await requestWithdrawal(needs, caller, wish, placesOf(request))
      afterCommit(wake(caller.userId))
      afterCommit(() => signals.send('mail'))
      return withdrawal
    },
    cancelByLink: async ({ token }, { db, afterCommit }) => {
      const { userId, ...cancelled } = await cancelWithdrawal(db, { token }, clock.iso())
      afterCommit(wake(userId))
      return cancelled
    },
    cancel: async ({ id }, { db, caller, afterCommit }) => {
      await cancelWithdrawal(db, { id, userId: caller.userId }, clock.iso())
      afterCommit(wake(caller.userId))
      return getWithdrawal(db, caller.userId, id)
    },
    queue: (input, { db }) => listPayouts(db, vault, input),
    take: async ({ id }, { db, afterCommit }) => {
      const payout = await takePayout(db, vault, id, clock.iso())
      afterCommit(wake(payout.user_id))
      return payout
    },
    refuse: async (input, { db, afterCommit }) => {
      const payout = await refuseWithdrawal(db, vault, input, clock.iso())
      afterCommit(wake(payout.user_id))
      return payout
    },
    setRefundAddress: (input, { db }) => setRefundAddress(db, needs, input, clock.iso()),
  }
}

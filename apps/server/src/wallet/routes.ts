import type { wallets } from '@ingot/contracts/wallet'
import type { Clock } from '../db/clock.ts'
import type { Handlers } from '../http/bind.ts'
import { getDepositAddress } from './get-deposit-address.ts'
import { getUsdtConfig, getWallet, listDeposits } from './queries.ts'
import { verifyPayment } from './verify-payment.ts'
import { watchAddress, type WatchNeeds } from './watch-address.ts'

/** What the commands behind these routes need together. */
interface WalletNeeds extends WatchNeeds {
  readonly clock: Clock
}

export function walletRoutes(needs: WalletNeeds): Handlers<typeof wallets> {
  const { database, chain, clock } = needs
  return {
    get: (_, { caller }) => {
      const canMake = caller.keyId !== null || !caller.actingBy
      return getWallet(database, chain, caller.userId, clock.iso(), canMake)
    },
    usdtConfig: (_, { db, caller }) => getUsdtConfig(db, chain, caller.userId),
    verifyUsdtPayment: ({ txHash }, { caller }) => verifyPayment(needs, caller.userId, txHash),
    deposits: async (input, { db, caller }) => {
      // Somebody who asks for deposits waits for one.
      if (!input.cursor) await watchAddress(needs, await getDepositAddress(db, chain, caller.userId))
      return listDeposits(db, caller.userId, chain.confirmationsNeeded, input)
    },
  }
}

import { formatUsd } from '@ingot/contracts/money'
import type { wallets } from '@ingot/contracts/wallet'
import { parseAddress } from '@ingot/tron/address'
import { sql } from 'kysely'
import type { Handlers } from '../http/bind.ts'
import type { WalletServices } from './services.ts'
import { getDepositAddress } from './deposit-address.ts'
import { getWallet, listDeposits } from './queries.ts'
import { verifyPayment } from './verify-payment.ts'

export function walletRoutes(services: WalletServices): Handlers<typeof wallets> {
  const { chain, clock } = services
  return {
    get: (_, { db, caller }) => getWallet(db, chain, caller.userId, clock.iso()),
    usdtConfig: async (_, { db, caller }) => ({
      networkName: chain.networkName,
      walletAddress: await getDepositAddress(db, chain, caller.userId),
      isTestNetwork: chain.isTestNetwork,
      minimumUsdt: formatUsd(chain.minimumMicro),
    }),
    verifyUsdtPayment: ({ txHash }, { db, caller }) => verifyPayment(db, chain, caller.userId, txHash),
    deposits: async (input, { db, caller }) => {
      // Who asks for these waits for one.
      if (!input.cursor) await watch(services, await getDepositAddress(db, chain, caller.userId))
      return listDeposits(db, caller.userId, chain.confirmationsNeeded, input)
    },
  }
}

/** Somebody waits for a transfer to `address`: the scanner looks now, and often for a while. */
export async function watch(
  { chain, database, signals, waiting }: Omit<WalletServices, 'clock' | 'log'>,
  address: string,
): Promise<void> {
  waiting.note(parseAddress(address))
  await sql`update chain_cursor set due_at = now()
    where chain = ${chain.name} and due_at > now() + ${chain.scanEveryMs.watched} * interval '1 ms'`.execute(
    database.kysely,
  )
  signals.send('chain')
}

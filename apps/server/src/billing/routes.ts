import type { billing } from '@ingot/contracts/billing'
import type { Config } from '../config.ts'
import type { Clock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import type { Handlers } from '../http/bind.ts'
import { getBalanceHistory } from './balance-history.ts'
import { exportBilling } from './export-billing.ts'
import { getReceipt, getSpending, listBilling } from './queries.ts'
import { getUsage } from './usage.ts'

interface BillingNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly config: Pick<Config, 'invoices'>
}

export function billingRoutes({ database, clock, config }: BillingNeeds): Handlers<typeof billing> {
  const issuer = config.invoices.seller.name || 'Ingot'
  return {
    list: (input, { caller }) => listBilling(database, caller.userId, input),
    export: async (input, { caller }) => exportBilling(database, caller.userId, input, issuer),
    receipt: ({ id }, { db, caller }) => getReceipt(db, caller.userId, id),
    usage: (input, { db, caller }) => getUsage(db, caller.userId, input, clock.iso()),
    balance: ({ days }, { db, caller }) => getBalanceHistory(db, caller.userId, days, clock.iso()),
    summary: (_, { db, caller }) => getSpending(db, caller.userId, clock.iso()),
  }
}

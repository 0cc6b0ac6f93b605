import type { business } from '@ingot/contracts/admin/business'
import type { Handlers } from '../../http/bind.ts'
import type { Clock } from '../../db/clock.ts'
import type { Config } from '../../config.ts'
import type { ReconcileNeeds } from '../../wallet/reconcile.ts'
import type { AuditNeeds } from '../nightly-audit.ts'
import { cancelPrice } from '../prices/cancel-price.ts'
import { previewPrice } from '../prices/preview-price.ts'
import { listPrices } from '../prices/queries.ts'
import { sellCards } from '../prices/sell-cards.ts'
import { setPrice } from '../prices/set-price.ts'
import { beginCheck, checkMoney } from './check.ts'
import { exportMoney } from './export-money.ts'
import { getIdentity } from './identity.ts'
import { getMoney, listMoneyBy } from './queries.ts'

interface BusinessNeeds extends AuditNeeds, ReconcileNeeds {
  readonly clock: Clock
  readonly config: Pick<Config, 'publicUrl' | 'payoutAddresses' | 'invoices'>
}

export function businessRoutes(needs: BusinessNeeds): Handlers<typeof business> {
  const { clock, config } = needs
  return {
    money: (input, { db }) => getMoney(db, needs, input, clock.iso()),
    by: (input, { db }) => listMoneyBy(db, input, clock.iso()),
    export: async (input, { db }) => exportMoney(db, needs, input, clock.iso()),
    check: async (_, { db, afterCommit }) => {
      const check = await beginCheck(db)
      afterCommit(() => void checkMoney(needs))
      return check
    },
    identity: (_, { db }) => getIdentity(db, config),
    prices: (input, { db }) => listPrices(db, input, clock.iso()),
    previewPrice: (input, { db }) => previewPrice(db, input, clock.iso()),
    setPrice: (input, { db }) => setPrice(db, input, clock.iso()),
    cancelPrice: (input, { db }) => cancelPrice(db, input, clock.iso()),
    sellCards: (input, { db }) => sellCards(db, input, clock.iso()),
  }
}

import type { BillingPeriod, Price } from '@ingot/contracts/catalog'
import { formatUsd, type Micro } from '@ingot/contracts/money'
import { Money } from '../../../ui/Money.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { LastsUntil } from '../../wallet/LastsUntil.tsx'
import { fundsWord, useRunway } from '../../wallet/wallet.tsx'
import { balanceLastsMs } from './deploy-price.ts'

interface BalanceForecastProps {
  readonly balance: Micro
  readonly spendingPerHour: Micro
  readonly price: Price
  readonly period: BillingPeriod
}

/** What the balance is worth with this instance: how long it lasts, what it leaves, or what it lacks. */
export function BalanceForecast({ balance, spendingPerHour, price, period }: BalanceForecastProps) {
  const now = useNow(10_000).getTime()
  const word = fundsWord(useRunway())
  const has = <Money value={formatUsd(balance)} />
  if (balance < price.total)
    return (
      <p className="text-warn">
        Your {word} of {has} does not cover it. <Money value={formatUsd(price.total - balance)} /> is missing.
      </p>
    )
  const ms = balanceLastsMs(balance, spendingPerHour, price, period)
  if (ms === null)
    return (
      <p>
        Leaves <Money value={formatUsd(balance - price.total)} /> of your {word}.
      </p>
    )
  return (
    <p>
      Your {word} of {has} lasts <LastsUntil at={now + ms} now={now} />
      {spendingPerHour > 0n && ' with what runs now'}.
    </p>
  )
}

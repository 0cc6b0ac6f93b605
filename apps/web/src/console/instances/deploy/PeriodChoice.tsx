import {
  type BillingPeriod,
  billingPeriods,
  type Configuration,
  type PricedGpu,
  priceOf,
  terms,
} from '@ingot/contracts/catalog'
import { formatUsd } from '@ingot/contracts/money'
import { formatMoney, formatRate } from '../../../ui/format.ts'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'

interface PeriodChoiceProps {
  readonly gpu: PricedGpu
  readonly configuration: Configuration
  readonly value: BillingPeriod
  readonly onValueChange: (period: BillingPeriod) => void
}

/** Each with its price for what is chosen now. A saving is only named where there is one. */
export function PeriodChoice({ gpu, configuration, value, onValueChange }: PeriodChoiceProps) {
  return (
    <RadioGroup
      legend="Billing period"
      layout="cards"
      value={value}
      onValueChange={onValueChange}
      options={billingPeriods.map(period => {
        const price = priceOf(gpu, configuration, period)
        if (period === 'hourly')
          return {
            value: period,
            label: 'Hourly',
            hint: `${formatRate(formatUsd(price.hourly))} per hour, by the second`,
          }
        const saved = gpu.upfront[period].savings_percent
        return {
          value: period,
          label: terms[period].label,
          hint: (
            <>
              {formatMoney(formatUsd(price.total))} upfront
              {saved > 0 && <span className="block text-ok">Save {saved}%</span>}
            </>
          ),
        }
      })}
    />
  )
}

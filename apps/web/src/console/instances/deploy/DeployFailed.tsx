import type { Price } from '@ingot/contracts/catalog'
import { type Quote, quoteOf } from '@ingot/contracts/instance-costs'
import { Band } from '../../../ui/Band.tsx'
import { formatMoney, formatRate } from '../../../ui/format.ts'
import type { DeployFailure } from './deploy-outcome.ts'

const labels: Record<string, string> = {
  name: 'Name',
  template_id: 'Template',
  gpu_type: 'GPU type',
  gpu_count: 'GPU count',
  region: 'Region',
  system_storage_gb: 'System storage',
  data_storage_gb: 'Data storage',
  billing_period: 'Billing period',
  budget: 'Budget',
  ports: 'HTTP ports',
  env: 'Environment variables',
  secrets: 'Secrets',
  registry_credentials: 'Registry',
}

interface DeployFailedProps {
  readonly failure: DeployFailure
  /** As it is now. */
  readonly price: Price
}

/** Why nothing was deployed. Nothing was charged either, and every choice is still there. */
export function DeployFailed({ failure, price }: DeployFailedProps) {
  const fields = Object.entries(failure.fields)
  return (
    <Band tone="danger">
      {failure.quoted ? <PriceChanged quoted={failure.quoted} price={price} /> : failure.text}
      {fields.length > 0 && (
        <ul>
          {fields.map(([field, text]) => (
            <li key={field}>
              {labels[field] ?? labels[field.split('.')[0]!] ?? field}: {text}
            </li>
          ))}
        </ul>
      )}
    </Band>
  )
}

interface PriceChangedProps {
  readonly quoted: Quote
  readonly price: Price
}

function PriceChanged({ quoted, price }: PriceChangedProps) {
  const now = quoteOf(price)
  if (now.quoted_hourly_cost === quoted.quoted_hourly_cost && now.quoted_total === quoted.quoted_total)
    return (
      <>
        The price has changed since this page was opened. Nothing was charged. Reload the page to see the new
        price.
      </>
    )
  return (
    <>
      The price changed from {formatRate(quoted.quoted_hourly_cost)} to {formatRate(now.quoted_hourly_cost)}{' '}
      per hour
      {quoted.quoted_total !== quoted.quoted_hourly_cost &&
        `, in total from ${formatMoney(quoted.quoted_total)} to ${formatMoney(now.quoted_total)}`}
      . Nothing was charged. Deploy again to accept it.
    </>
  )
}

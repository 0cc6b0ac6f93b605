import { Band } from '../../../ui/Band.tsx'
import { formatMoney } from '../../../ui/format.ts'
import { type DeployFailure, quoteOf } from './deploy-outcome.ts'
import type { DeployPrice } from './deploy-price.ts'

const labels: Record<string, string> = {
  name: 'Name',
  template_id: 'Template',
  gpu_type: 'GPU type',
  gpu_count: 'GPU count',
  region: 'Region',
  system_storage_gb: 'System storage',
  data_storage_gb: 'Data storage',
  billing_period: 'Billing period',
}

interface DeployFailedProps {
  readonly failure: DeployFailure
  /** As it is now. */
  readonly price: DeployPrice
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
              {labels[field] ?? field}: {text}
            </li>
          ))}
        </ul>
      )}
    </Band>
  )
}

const exact = (usd: string): string => formatMoney(usd, { decimals: 6 })

interface PriceChangedProps {
  readonly quoted: NonNullable<DeployFailure['quoted']>
  readonly price: DeployPrice
}

function PriceChanged({ quoted, price }: PriceChangedProps) {
  const now = quoteOf(price)
  if (now.hourly === quoted.hourly && now.total === quoted.total)
    return (
      <>
        The price has changed since this page was opened. Nothing was charged. Reload the page to see the new
        price.
      </>
    )
  return (
    <>
      The price changed from {exact(quoted.hourly)} to {exact(now.hourly)} per hour
      {quoted.total !== quoted.hourly && `, in total from ${exact(quoted.total)} to ${exact(now.total)}`}.
      Nothing was charged. Deploy again to accept it.
    </>
  )
}

import { type GpuSize, type Price, termEnd, terms } from '@ingot/contracts/catalog'
import type { RegionEntry } from '@ingot/contracts/catalog-calls'
import { formatUsd } from '@ingot/contracts/money'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { formatDate, formatGb, formatMoney, formatRate } from '../../../ui/format.ts'
import { type Property, PropertyList } from '../../../ui/PropertyList.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { limitOf } from '../../budgets/budget-text.ts'
import { memoryText } from '../gpu-text.ts'
import type { DeployChoices } from './deploy-search.ts'

interface PaymentStepProps {
  readonly choices: DeployChoices
  /** Names of variables. */
  readonly env: readonly string[]
  readonly gpu: GpuSize
  readonly region: RegionEntry
  readonly price: Price
  /** No place is free: it waits for one. */
  readonly queues: boolean
  readonly onBack: () => void
  readonly onStart: (start: boolean) => void
}

/** Step 2: what is about to be bought, and what it costs when. */
export function PaymentStep({ choices, env, gpu, region, price, queues, onBack, onStart }: PaymentStepProps) {
  const now = useNow(60_000)
  return (
    <div className="flex flex-col gap-8">
      <section>
        <div className="flex items-center justify-between gap-4 pb-1">
          <h2 className="text-heading">Summary</h2>
          <Button onClick={onBack}>Change</Button>
        </div>
        <PropertyList properties={summaryOf(choices, env, gpu, region)} />
      </section>
      <Checkbox
        label="Start now"
        hint="Without it the instance is made, paid for and waits as stopped until you start it."
        checked={choices.start}
        onCheckedChange={onStart}
      />
      <section>
        <h2 className="pb-1 text-heading">What you pay when</h2>
        <PropertyList properties={paymentsOf(choices, price, queues, now)} />
      </section>
    </div>
  )
}

function summaryOf(c: DeployChoices, env: readonly string[], gpu: GpuSize, region: RegionEntry): Property[] {
  const simulated = region.hardware === 'simulated' ? ', simulated GPU' : ''
  return [
    { name: 'Name', value: c.name.trim() },
    {
      name: 'GPU',
      value: `${c.gpu_count}× ${c.gpu_type}, ${memoryText(gpu.memory_gb, c.gpu_count)}${simulated}`,
    },
    {
      name: 'vCPU and RAM',
      value: `${gpu.vcpus * c.gpu_count} vCPU, ${gpu.ram_gb * c.gpu_count} GB`,
    },
    { name: 'Region', value: c.region },
    {
      name: 'Storage',
      value: `${formatGb(c.system_storage_gb)} system, ${formatGb(c.data_storage_gb)} data`,
    },
    {
      name: 'Billing',
      value:
        c.billing_period === 'hourly' ? 'Hourly, by the second' : `${terms[c.billing_period].label}, upfront`,
    },
    ...(c.ports?.length ? [{ name: 'HTTP ports', value: c.ports.join(', ') }] : []),
    ...(env.length > 0 ? [{ name: 'Environment variables', value: env.join(', ') }] : []),
    ...(c.budget
      ? [
          {
            name: 'Budget',
            value: `${formatMoney(limitOf(c.budget))} over its life, ${c.budget_at === 'warn' ? 'then you are told' : 'then it stops'}`,
          },
        ]
      : []),
  ]
}

function paymentsOf(
  { billing_period, start, on_term_end }: DeployChoices,
  price: Price,
  queues: boolean,
  now: Date,
): Property[] {
  const total = formatMoney(formatUsd(price.total))
  const hourly = formatRate(formatUsd(price.hourly))
  const isHourly = billing_period === 'hourly'
  const ends = isHourly ? '' : formatDate(termEnd(billing_period, now))
  return [
    ...(queues
      ? [
          {
            name: 'Now',
            value: `Nothing. ${total} is set aside while it waits; leaving the queue returns it.`,
          },
        ]
      : []),
    {
      name: queues ? 'When its turn comes' : 'Now',
      value: isHourly
        ? `${total}, the first hour. Usage draws on it before your balance.`
        : `${total}, ${queues ? `all hours of ${terms[billing_period].label} from then on` : `all hours until ${ends}`}.`,
    },
    {
      name: 'Starting',
      value: start ? 'Nothing. The meter starts when it runs.' : 'Nothing, until you start it.',
    },
    {
      name: 'Running',
      value: isHourly
        ? `${hourly} per hour, by the second.`
        : on_term_end === 'stop'
          ? `Nothing until ${ends}, when it stops. Started again, ${hourly} per hour.`
          : `Nothing until ${ends}, then ${hourly} per hour.`,
    },
    {
      name: 'Stopped',
      value: isHourly
        ? '$0.00 per hour. The disk stays.'
        : '$0.00 per hour. The disk stays, the term goes on.',
    },
    {
      name: 'Deleted',
      value: isHourly
        ? 'Nothing. What is left of the first hour returns at once.'
        : `The time held, at ${hourly} per hour. The rest of ${total} returns at once.`,
    },
  ]
}

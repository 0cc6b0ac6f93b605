import { type GpuSize, type Price, termEnd, terms } from '@ingot/contracts/catalog'
import { termReturnMicro, termReturnsUntilDay } from '@ingot/contracts/instance-costs'
import { formatUsd, type Micro } from '@ingot/contracts/money'
import type { ReactNode } from 'react'
import { formatDate, formatGb } from '../../../ui/format.ts'
import { Money } from '../../../ui/Money.tsx'
import { useNow } from '../../../ui/use-now.ts'
import { type AutoShutdown, autoShutdownText, withChoice } from '../auto-shutdown.ts'
import { BalanceForecast } from './BalanceForecast.tsx'
import type { DeployChoices } from './deploy-search.ts'

interface CostPanelProps {
  readonly choices: DeployChoices
  readonly gpu: GpuSize
  readonly price: Price
  /** Null until it is known. */
  readonly wallet: { readonly balance: Micro; readonly spendingPerHour: Micro } | null
  readonly simulated: string | null
  /** What becomes of the template's image in the region; null: it decides what runs. */
  readonly image: string | null
  /** Auto-shutdown where nothing is chosen. */
  readonly preferences: AutoShutdown | undefined
  /** The button, and what stands beside it. */
  readonly children: ReactNode
}

/** What it costs, line by line: now, running, stopped, deleted. */
export function CostPanel({
  choices,
  gpu,
  price,
  wallet,
  simulated,
  image,
  preferences,
  children,
}: CostPanelProps) {
  const { gpu_type, gpu_count, billing_period, system_storage_gb, data_storage_gb } = choices
  const storage = `${formatGb(system_storage_gb + data_storage_gb)} storage`
  const isHourly = billing_period === 'hourly'
  return (
    <section aria-label="Cost" className="rounded-panel border border-line bg-raised p-4">
      <h2 className="text-heading">Cost</h2>
      <p className="text-label font-normal text-muted">
        {gpu.vcpus * gpu_count} vCPU, {gpu.ram_gb * gpu_count} GB RAM, {gpu.memory_gb * gpu_count} GB GPU
        memory
      </p>
      <dl className="pt-2">
        <Line
          name={`${gpu_count}× ${gpu_type}${isHourly ? '' : `, ${terms[billing_period].label}`}`}
          value={price.gpuTotal}
          isRate={isHourly}
        />
        <Line
          name={
            price.extraStorageGb > 0
              ? `${storage}, ${formatGb(price.extraStorageGb)} beyond the included`
              : `${storage}, included`
          }
          value={price.storageTotal}
          isRate={isHourly}
        />
        <Line strong name={isHourly ? 'Per hour' : 'Total upfront'} value={price.total} isRate={isHourly} />
      </dl>
      <div className="flex flex-col gap-2 text-label font-normal text-muted">
        {isHourly ? (
          <p>
            <Money value={formatUsd(price.daily)} /> per day, <Money value={formatUsd(price.monthly)} /> per
            month of 30 days.
          </p>
        ) : (
          <TermText price={price} period={billing_period} onEnd={choices.on_term_end} />
        )}
        {wallet && <BalanceForecast {...wallet} price={price} period={billing_period} />}
        <p>
          Stopped it costs $0.00 per hour. {isHourly && 'Deleting it returns what is left of the first hour.'}
        </p>
        {preferences && <p>{autoShutdownText(withChoice(preferences, choices.auto_shutdown))}.</p>}
        {simulated && <p className="text-warn">{simulated}</p>}
        {image && <p className="text-warn break-words">{image}</p>}
      </div>
      <div className="flex flex-col gap-3 pt-4">{children}</div>
    </section>
  )
}

interface LineProps {
  readonly name: string
  readonly value: Micro
  /** Per hour, not in total. */
  readonly isRate: boolean
  readonly strong?: boolean
}

function Line({ name, value, isRate, strong = false }: LineProps) {
  return (
    <div className="flex items-baseline justify-between gap-4 border-t border-line py-2 first:border-t-0">
      <dt className={strong ? 'font-semi' : undefined}>{name}</dt>
      <dd className={strong ? 'text-heading' : undefined}>
        <Money value={formatUsd(value)} rate={isRate} />
      </dd>
    </div>
  )
}

interface TermTextProps {
  readonly price: Price
  readonly period: keyof typeof terms
  readonly onEnd: DeployChoices['on_term_end']
}

/** Of the rule, one figure as an example. */
const exampleDays = 7
const dayMs = 86_400_000

function TermText({ price, period, onEnd }: TermTextProps) {
  const now = useNow(60_000)
  const perHour = formatUsd(price.total / BigInt(terms[period].hours))
  return (
    <>
      <p>
        Paid now for all hours until {formatDate(termEnd(period, now))}: <Money value={perHour} /> per hour.{' '}
        {onEnd === 'stop' ? (
          'It then stops, and its disk is kept.'
        ) : (
          <>
            It then runs on at <Money value={formatUsd(price.hourly)} rate /> per hour.
          </>
        )}
      </p>
      <p>
        Deleted earlier, the time held is charged at <Money value={formatUsd(price.hourly)} rate /> per hour,
        never more than was paid, and the rest returns: after {exampleDays} days{' '}
        <Money value={formatUsd(termReturnMicro(price.total, price.hourly, exampleDays * dayMs))} /> of it,
        from day {termReturnsUntilDay(price.total, price.hourly)} on nothing.
      </p>
    </>
  )
}

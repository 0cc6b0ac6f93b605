/**
 * What a choice of GPU, count, hours and storage costs in each way of paying: the contract's exact arithmetic, and the
 * choice as it stands in the address. No page and no script: the rendering and the island use the same.
 */
import {
  type BillingPeriod,
  type Configuration,
  dataStorageGb,
  defaultGpu,
  deployDefaults,
  gpuCounts,
  type PricedGpu,
  priceOf,
  systemStorageGb,
  terms,
} from '@ingot/contracts/catalog'
import type { Micro } from '@ingot/contracts/money'

export interface Choice {
  readonly gpu: string
  readonly count: number
  readonly hours: number
  readonly system: number
  readonly data: number
}

export const maxHours = terms['1year'].hours

export const defaultChoice = (gpus: readonly PricedGpu[]): Choice => ({
  gpu: defaultGpu(gpus).name,
  count: deployDefaults.gpu_count,
  hours: 160,
  system: deployDefaults.system_storage_gb,
  data: deployDefaults.data_storage_gb,
})

const oneOf = (options: readonly number[], text: string | null, otherwise: number): number =>
  options.find(option => String(option) === text) ?? otherwise

/** The answer can be priced whatever the address says: the default stands in for what is not on sale. */
export function readChoice(params: URLSearchParams, gpus: readonly PricedGpu[]): Choice {
  const otherwise = defaultChoice(gpus)
  const hours = Number(params.get('hours') ?? otherwise.hours)
  return {
    gpu: (gpus.find(gpu => gpu.name === params.get('gpu')) ?? defaultGpu(gpus)).name,
    count: oneOf(gpuCounts, params.get('count'), otherwise.count),
    hours: Number.isInteger(hours) && hours >= 1 && hours <= maxHours ? hours : otherwise.hours,
    system: oneOf(systemStorageGb, params.get('system'), otherwise.system),
    data: oneOf(dataStorageGb, params.get('data'), otherwise.data),
  }
}

/** Only what differs from the default. */
export function writeChoice(choice: Choice, gpus: readonly PricedGpu[]): URLSearchParams {
  const params = new URLSearchParams()
  const otherwise = defaultChoice(gpus)
  for (const key of Object.keys(otherwise) as (keyof Choice)[])
    if (choice[key] !== otherwise[key]) params.set(key, String(choice[key]))
  return params
}

export interface Costs {
  readonly hourly: Micro
  readonly total: Readonly<Record<BillingPeriod, Micro>>
  /** From how many hours on each term costs no more than paying by the hour; null: it never does within the term. */
  readonly evenAt: Readonly<Record<keyof typeof terms, number | null>>
  /** The way that costs least for these hours, among those that last that long. */
  readonly cheapest: BillingPeriod
}

export function costs(choice: Choice, gpus: readonly PricedGpu[]): Costs {
  const gpu = gpus.find(each => each.name === choice.gpu)!
  const configuration: Configuration = {
    gpu_count: choice.count,
    system_storage_gb: choice.system,
    data_storage_gb: choice.data,
  }
  const { hourly } = priceOf(gpu, configuration, 'hourly')
  const total = {
    hourly: hourly * BigInt(choice.hours),
    '3month': priceOf(gpu, configuration, '3month').total,
    '1year': priceOf(gpu, configuration, '1year').total,
  }
  const evenAt = (term: keyof typeof terms): number | null => {
    const hours = Number((total[term] + hourly - 1n) / hourly)
    return hours <= terms[term].hours ? hours : null
  }
  const lasting = (['hourly', '3month', '1year'] as const).filter(
    period => period === 'hourly' || choice.hours <= terms[period].hours,
  )
  return {
    hourly,
    total,
    evenAt: { '3month': evenAt('3month'), '1year': evenAt('1year') },
    cheapest: lasting.reduce((best, period) => (total[period] < total[best] ? period : best)),
  }
}

/** One line about a term: from when on it pays, or that it ends too soon. */
export function termNote({ evenAt }: Costs, term: keyof typeof terms, hours: number): string {
  if (hours > terms[term].hours)
    return `Ends after ${terms[term].hours.toLocaleString('en-US')} hours: the rest is charged by the hour.`
  const even = evenAt[term]
  return even === null
    ? 'Costs more than the same hours on demand.'
    : `Costs no more than on demand from ${even.toLocaleString('en-US')} hours on.`
}

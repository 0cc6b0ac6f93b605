/**
 * The shape of the catalogue and the one arithmetic on it. What is on sale, and for how much, are rows that the server
 * has: every function here is handed the GPU that it prices. Public pages compute with these in the browser, so no schema
 * stands here.
 */
import { divideHalfEven, formatUsd, type Micro, parseUsd } from './money.ts'

export const gpuCounts = [1, 2, 4, 8] as const
export const systemStorageGb = [40, 80, 120, 160, 200] as const
export const dataStorageGb = [50, 100, 200, 500, 1000] as const
/** No instance has a smaller disk. */
export const leastStorageGb = systemStorageGb[0] + dataStorageGb[0]
/** What the data storage of an instance may become later; a disk never shrinks. */
export const laterStorageGb = [100, 200, 500, 1000] as const
/** System and data storage together: the first 140 GB cost nothing. */
export const includedStorageGb = 140
export const extraStoragePerGbMonth = '0.10'
const hoursPerMonth = 720n

export const billingPeriods = ['hourly', '3month', '1year'] as const
export type BillingPeriod = (typeof billingPeriods)[number]
/** An upfront term is calendar time: 90 or 365 days. Storage is priced by the month. */
export const terms = {
  '3month': { hours: 2160, months: 3, label: '3 months' },
  '1year': { hours: 8760, months: 12, label: '1 year' },
} as const

/** What a form begins with, where it is on sale. */
export const deployDefaults = {
  gpu_type: 'A40',
  gpu_count: 1,
  region: 'US-East',
  system_storage_gb: 40,
  data_storage_gb: 100,
  billing_period: 'hourly',
} as const

/** How much of one GPU is taken, and the storage with it. */
export interface Configuration {
  readonly gpu_count: number
  readonly system_storage_gb: number
  readonly data_storage_gb: number
}

interface UpfrontOption {
  readonly total_cost: string
  /** Against the same hours on demand, in whole percent: a label shows this, not a slogan. */
  readonly savings_percent: number
}

/** What price arithmetic reads of a GPU as the API lists it. */
export interface PricedGpu {
  readonly name: string
  readonly hourly_price: string
  /** Totals, each for one GPU. */
  readonly upfront: Readonly<Record<keyof typeof terms, UpfrontOption>>
}

/** The GPU that a form begins with: the usual one where it is on sale. At least one is: the database keeps it so. */
export const defaultGpu = <Gpu extends Pick<PricedGpu, 'name'>>(gpus: readonly Gpu[]): Gpu =>
  gpus.find(gpu => gpu.name === deployDefaults.gpu_type) ?? gpus[0]!

/** What one of it comes with; of several, each brings as much again. */
export interface GpuSize {
  readonly memory_gb: number
  readonly vcpus: number
  readonly ram_gb: number
}

export interface ListedGpu extends PricedGpu, GpuSize {}

/** For one GPU: an hour on demand, and each term as a whole. */
export interface GpuPrice {
  readonly hourly: Micro
  readonly '3month': Micro
  readonly '1year': Micro
}

/** A GPU with its price in the form in which the API lists it. */
export function listedGpu(name: string, { memory_gb, vcpus, ram_gb }: GpuSize, price: GpuPrice): ListedGpu {
  const upfront = (term: keyof typeof terms): UpfrontOption => {
    const onDemand = price.hourly * BigInt(terms[term].hours)
    return {
      total_cost: formatUsd(price[term]),
      savings_percent: Number(divideHalfEven((onDemand - price[term]) * 100n, onDemand)),
    }
  }
  return {
    name,
    memory_gb,
    vcpus,
    ram_gb,
    hourly_price: formatUsd(price.hourly),
    upfront: { '3month': upfront('3month'), '1year': upfront('1year') },
  }
}

/** Whole gigabytes beyond what is included. */
const extraStorageGb = (c: Configuration): number =>
  Math.max(0, c.system_storage_gb + c.data_storage_gb - includedStorageGb)

/** The extra-storage part of the hourly cost, to the nearest micro-dollar. No catalogue changes it. */
export const storageHourlyMicro = (c: Configuration): Micro =>
  divideHalfEven(BigInt(extraStorageGb(c)) * parseUsd(extraStoragePerGbMonth), hoursPerMonth)

/** What a configuration costs, with the parts that a price panel shows. Micro-USD. */
export interface Price {
  /** All GPUs together, per hour. */
  readonly gpuHourly: Micro
  readonly storageHourly: Micro
  /** System and data storage beyond what is included. */
  readonly extraStorageGb: number
  /** What an hour of running costs. */
  readonly hourly: Micro
  /** The GPUs' and the storage's part of what is charged at once. */
  readonly gpuTotal: Micro
  readonly storageTotal: Micro
  /** What the deploy button charges: the first hour, or the whole term with its storage. */
  readonly total: Micro
  readonly daily: Micro
  /** Hourly times 24 times 30. */
  readonly monthly: Micro
}

/** The one price arithmetic: the service charges by it, and pages show it for the list that the service answered. */
export function priceOf(gpu: PricedGpu, c: Configuration, period: BillingPeriod): Price {
  const count = BigInt(c.gpu_count)
  const gpuHourly = parseUsd(gpu.hourly_price) * count
  const storageHourly = storageHourlyMicro(c)
  const hourly = gpuHourly + storageHourly
  const gpuTotal = period === 'hourly' ? gpuHourly : parseUsd(gpu.upfront[period].total_cost) * count
  const storageTotal = period === 'hourly' ? storageHourly : storageTermMicro(c, period)
  return {
    gpuHourly,
    storageHourly,
    extraStorageGb: extraStorageGb(c),
    hourly,
    gpuTotal,
    storageTotal,
    total: gpuTotal + storageTotal,
    daily: hourly * 24n,
    monthly: hourly * 24n * 30n,
  }
}

/** Storage is priced by the month: what a term's total holds beside its GPUs. */
const storageTermMicro = (c: Configuration, period: keyof typeof terms): Micro =>
  BigInt(extraStorageGb(c)) * parseUsd(extraStoragePerGbMonth) * BigInt(terms[period].months)

const hourMs = 3_600_000
/** When a term that begins at `from` ends. */
export const termEnd = (period: keyof typeof terms, from: Date): Date =>
  new Date(from.getTime() + terms[period].hours * hourMs)

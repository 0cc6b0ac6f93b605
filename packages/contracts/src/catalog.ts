/**
 * What is for sale and what it costs. These figures are the only prices that anybody is ever charged; every other
 * figure in the product is text about them. Public pages compute with them in the browser, so no schema stands here.
 */
import { divideHalfEven, formatUsd, type Micro, parseUsd } from './money.ts'

interface Gpu {
  readonly memory_gb: number
  /** Per GPU. The specification leaves vCPU and RAM open: these are the sizes such cards are commonly rented with. */
  readonly vcpus: number
  readonly ram_gb: number
  readonly hourly: string
  readonly upfront: { readonly '3month': string; readonly '1year': string }
}

const gpu = (
  memory_gb: number,
  vcpus: number,
  ram_gb: number,
  hourly: string,
  threeMonths: string,
  year: string,
): Gpu => ({ memory_gb, vcpus, ram_gb, hourly, upfront: { '3month': threeMonths, '1year': year } })

/** Memory GB, vCPU, RAM GB, $/h, then the totals for 3 months and 1 year, each for one GPU. */
export const gpus = {
  A40: gpu(48, 8, 48, '0.75', '535', '1950'),
  'RTX 4090': gpu(24, 8, 32, '0.90', '1598', '3942'),
  'RTX 3090': gpu(24, 8, 32, '0.65', '1154', '2847'),
  'A100 40GB': gpu(40, 12, 85, '2.06', '3655', '9023'),
  'A100 80GB': gpu(80, 12, 120, '3.06', '5428', '13403'),
  H100: gpu(80, 16, 180, '4.10', '7270', '17958'),
  A6000: gpu(48, 8, 48, '1.38', '2448', '6043'),
  V100: gpu(32, 8, 61, '1.00', '1774', '4380'),
  L4: gpu(24, 8, 32, '0.61', '1082', '2672'),
  T4: gpu(16, 4, 16, '0.35', '621', '1533'),
} as const satisfies Record<string, Gpu>

export type GpuType = keyof typeof gpus
export const gpuTypes = Object.keys(gpus) as [GpuType, ...GpuType[]]

export const gpuCounts = [1, 2, 4, 8] as const
export const systemStorageGb = [40, 80, 120, 160, 200] as const
export const dataStorageGb = [50, 100, 200, 500, 1000] as const
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

export const deployDefaults = {
  gpu_type: 'A40',
  gpu_count: 1,
  region: 'US-East',
  system_storage_gb: 40,
  data_storage_gb: 100,
  billing_period: 'hourly',
} as const

export interface Configuration {
  readonly gpu_type: GpuType
  readonly gpu_count: number
  readonly system_storage_gb: number
  readonly data_storage_gb: number
}

/** Whole gigabytes beyond what is included. */
const extraStorageGb = (c: Configuration): number =>
  Math.max(0, c.system_storage_gb + c.data_storage_gb - includedStorageGb)

/** The extra-storage part of the hourly cost, to the nearest micro-dollar. */
const storageHourlyMicro = (c: Configuration): Micro =>
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

/** The one price arithmetic: the service charges by it, and pages show it for the catalogue that the service answered. */
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

/** GPU price times count plus extra storage: what an hour of running costs. */
export const hourlyCostMicro = (c: Configuration): Micro => priceOf(listedGpu(c.gpu_type), c, 'hourly').hourly

/** What the deploy button charges: the first hour, or the whole term with its storage. */
export const deployTotalMicro = (c: Configuration, period: BillingPeriod): Micro =>
  priceOf(listedGpu(c.gpu_type), c, period).total

const hourMs = 3_600_000
/** When a term that begins at `from` ends. */
export const termEnd = (period: keyof typeof terms, from: Date): Date =>
  new Date(from.getTime() + terms[period].hours * hourMs)

/** What a term saves against the same hours on demand, in whole percent. A label shows this, not a slogan. */
export function savingsPercent(type: GpuType, period: keyof typeof terms): number {
  const onDemand = parseUsd(gpus[type].hourly) * BigInt(terms[period].hours)
  const saved = onDemand - parseUsd(gpus[type].upfront[period])
  return Number(divideHalfEven(saved * 100n, onDemand))
}

/** vCPU and RAM are the GPU's figures times the count. */
export const cpuCores = (type: GpuType, count: number): number => gpus[type].vcpus * count
export const ramGb = (type: GpuType, count: number): number => gpus[type].ram_gb * count

export const regionNames = ['US-East', 'US-West', 'EU-West', 'Asia-Pacific', 'Middle-East'] as const
export type RegionName = (typeof regionNames)[number]
/** Network volumes live in the first four only. */
export const volumeRegionNames = regionNames.slice(0, 4)

interface UpfrontOption {
  readonly total_cost: string
  readonly savings_percent: number
}

/** What price arithmetic reads of a GPU as the API lists it. */
export interface PricedGpu {
  readonly name: GpuType
  readonly hourly_price: string
  readonly upfront: Readonly<Record<keyof typeof terms, UpfrontOption>>
}

export interface ListedGpu extends PricedGpu {
  readonly memory_gb: number
  readonly vcpus: number
  readonly ram_gb: number
}

/** The prices of one GPU as the API lists them. */
export const listedGpu = (name: GpuType): PricedGpu => ({
  name,
  hourly_price: asUsd(gpus[name].hourly),
  upfront: {
    '3month': {
      total_cost: asUsd(gpus[name].upfront['3month']),
      savings_percent: savingsPercent(name, '3month'),
    },
    '1year': {
      total_cost: asUsd(gpus[name].upfront['1year']),
      savings_percent: savingsPercent(name, '1year'),
    },
  },
})

/** The catalogue as the API answers it, without the free counts that only the server knows. */
export const gpuListing = (): ListedGpu[] =>
  gpuTypes.map(type => {
    const { name, hourly_price, upfront } = listedGpu(type)
    const { memory_gb, vcpus, ram_gb } = gpus[type]
    return { name, memory_gb, vcpus, ram_gb, hourly_price, upfront }
  })

const asUsd = (text: string): string => formatUsd(parseUsd(text))

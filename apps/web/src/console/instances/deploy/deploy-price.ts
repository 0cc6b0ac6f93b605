/**
 * What a configuration costs, by the catalogue that the service answered last. The arithmetic is the contract's
 * (a test holds the two together), so the figures sent as a quote are the ones the service computes.
 */
import {
  type BillingPeriod,
  type Configuration,
  type GpuEntry,
  gpuListing,
  includedStorageGb,
  deployTotalMicro,
  hourlyCostMicro,
  storageHourlyMicro,
  terms,
} from '@ingot/contracts/catalog'
import { type Micro, parseUsd } from '@ingot/contracts/money'

export type PricedGpu = Pick<GpuEntry, 'name' | 'hourly_price' | 'upfront'>

export interface DeployPrice {
  /** All GPUs together, per hour. */
  readonly gpuHourly: Micro
  readonly storageHourly: Micro
  /** System and data storage beyond what is included. */
  readonly extraStorageGb: number
  readonly hourly: Micro
  /** The GPUs' and the storage's part of what is charged at once. */
  readonly gpuTotal: Micro
  readonly storageTotal: Micro
  readonly total: Micro
  readonly daily: Micro
  readonly monthly: Micro
}

const listed = gpuListing()

/** The catalogue that came with this page, until the service has answered. */
export const pricedGpu = (
  known: readonly PricedGpu[] | undefined,
  type: Configuration['gpu_type'],
): PricedGpu => known?.find(gpu => gpu.name === type) ?? listed.find(gpu => gpu.name === type)!

export function priceOf(gpu: PricedGpu, c: Configuration, period: BillingPeriod): DeployPrice {
  const count = BigInt(c.gpu_count)
  const gpuHourly = parseUsd(gpu.hourly_price) * count
  const storageHourly = storageHourlyMicro(c)
  const hourly = gpuHourly + storageHourly
  const gpuTotal = period === 'hourly' ? gpuHourly : parseUsd(gpu.upfront[period].total_cost) * count
  const storageTotal = period === 'hourly' ? storageHourly : storageTermMicro(c, period)
  return {
    gpuHourly,
    storageHourly,
    extraStorageGb: Math.max(0, c.system_storage_gb + c.data_storage_gb - includedStorageGb),
    hourly,
    gpuTotal,
    storageTotal,
    total: gpuTotal + storageTotal,
    daily: hourly * 24n,
    monthly: hourly * 24n * 30n,
  }
}

/** Storage is priced by the month: what a term's total holds beside its GPUs. */
function storageTermMicro(c: Configuration, period: keyof typeof terms): Micro {
  const included = { ...c, system_storage_gb: 0, data_storage_gb: 0 }
  return deployTotalMicro(c, period) - deployTotalMicro(included, period)
}

/** Of the catalogue in this page: for tests and first paints. */
export const contractPrice = (c: Configuration, period: BillingPeriod): { hourly: Micro; total: Micro } => ({
  hourly: hourlyCostMicro(c),
  total: deployTotalMicro(c, period),
})

/**
 * How long the balance lasts with this instance beside what runs already, in ms; null when nothing would draw on it.
 * The first hour is paid by the deploy charge; an upfront term as a whole.
 */
export function balanceLastsMs(
  balance: Micro,
  spendingPerHour: Micro,
  price: Pick<DeployPrice, 'hourly' | 'total'>,
  period: BillingPeriod,
): number | null {
  const rate = period === 'hourly' ? spendingPerHour + price.hourly : spendingPerHour
  // Hourly, the charge itself is the first hour of use: the whole balance goes by the rate.
  const left = period === 'hourly' ? balance : balance - price.total
  if (rate <= 0n) return null
  return left <= 0n ? 0 : Number((left * 3_600_000n) / rate)
}

/** When a term bought now ends. */
export const termEnd = (period: keyof typeof terms, now: Date): Date =>
  new Date(now.getTime() + terms[period].hours * 3_600_000)

/** What to deposit: the shortfall up to the next cent, and at least the smallest deposit. */
export function depositFor(
  total: Micro,
  balance: Micro,
  minimum: Micro,
): { shortfall: Micro; deposit: Micro } {
  const shortfall = total > balance ? total - balance : 0n
  const cents = ((shortfall + 9_999n) / 10_000n) * 10_000n
  return { shortfall, deposit: cents > minimum ? cents : minimum }
}

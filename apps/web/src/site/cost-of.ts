/** What things cost by the catalogue that the server has, for the pages that name a price. */
import { deployDefaults, type ListedGpu, priceOf } from '@ingot/contracts/catalog'
import { formatUsd, type Micro, parseUsd } from '@ingot/contracts/money'
import type { Shown } from '@ingot/contracts/pages'
import { formatMoney } from '../ui/format.ts'

/** A text may name one that is not on sale any more: it keeps its last price. */
export function gpuNamed({ gpus, formerGpus }: Shown, name: string): ListedGpu {
  const found = [...gpus, ...formerGpus].find(gpu => gpu.name === name)
  if (!found) throw new Error(`${name} is not in the catalogue`)
  return found
}

/** Of those on sale. */
export const cheapestHourly = ({ gpus }: Shown): string =>
  formatMoney(gpus.map(gpu => gpu.hourly_price).toSorted((a, b) => Number(parseUsd(a) - parseUsd(b)))[0]!)

/** A machine with the storage of a default deploy. */
export const hourlyOf = (shown: Shown, gpu: string, count: number): Micro =>
  priceOf(gpuNamed(shown, gpu), { ...deployDefaults, gpu_count: count }, 'hourly').hourly

/** What some hours of it cost, exactly: `$12.36`. */
export const costOf = (shown: Shown, gpu: string, count: number, hours: bigint): string =>
  formatMoney(formatUsd(hourlyOf(shown, gpu, count) * hours))

/** What things cost by the catalogue that the server has, for the pages that name a price. */
import { deployDefaults, type GpuType, priceOf } from '@ingot/contracts/catalog'
import { formatUsd, type Micro, parseUsd } from '@ingot/contracts/money'
import type { Shown, ShownGpu } from '@ingot/contracts/pages'
import { formatMoney } from '../ui/format.ts'

type Gpus = Shown['gpus']

export function gpuNamed(gpus: Gpus, name: GpuType): ShownGpu {
  const found = gpus.find(gpu => gpu.name === name)
  if (!found) throw new Error(`${name} is not in the catalogue`)
  return found
}

export const cheapestHourly = (gpus: Gpus): string =>
  formatMoney(gpus.map(gpu => gpu.hourly_price).toSorted((a, b) => Number(parseUsd(a) - parseUsd(b)))[0]!)

/** A machine with the storage of a default deploy. */
export const hourlyOf = (gpus: Gpus, gpu: GpuType, count: number): Micro =>
  priceOf(gpuNamed(gpus, gpu), { ...deployDefaults, gpu_type: gpu, gpu_count: count }, 'hourly').hourly

/** What some hours of it cost, exactly: `$12.36`. */
export const costOf = (gpus: Gpus, gpu: GpuType, count: number, hours: bigint): string =>
  formatMoney(formatUsd(hourlyOf(gpus, gpu, count) * hours))

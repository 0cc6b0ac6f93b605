/** What a machine with the storage of a default deploy costs, for the pages that name such a cost. */
import { deployDefaults, type GpuType, hourlyCostMicro } from '@ingot/contracts/catalog'
import { formatUsd, type Micro } from '@ingot/contracts/money'
import { formatMoney } from '../ui/format.ts'

export const hourlyOf = (gpu: GpuType, count: number): Micro =>
  hourlyCostMicro({ ...deployDefaults, gpu_type: gpu, gpu_count: count })

/** What some hours of it cost, exactly: `$12.36`. */
export const costOf = (gpu: GpuType, count: number, hours: bigint): string =>
  formatMoney(formatUsd(hourlyOf(gpu, count) * hours))

/**
 * What an instance costs in each state, from what the wire says. The meter of a running one is read here between two
 * settlements, so these are figures to show ("about"), never figures to send.
 */
import { type GpuType, hourlyCostMicro } from '@ingot/contracts/catalog'
import type { Instance } from '@ingot/contracts/instances'
import { type Micro, parseUsd } from '@ingot/contracts/money'

const hourMs = 3_600_000n

const usedMicro = (hourly: string, ms: number): Micro =>
  (parseUsd(hourly) * BigInt(Math.max(0, Math.floor(ms)))) / hourMs

/** Price of this run up to now; null while it does not run. */
export function runCostMicro(instance: Instance, now: Date): Micro | null {
  if (instance.status !== 'running' || instance.started_at === null) return null
  return usedMicro(instance.hourly_cost, now.getTime() - Date.parse(instance.started_at))
}

/** Whether an upfront term pays for it now. */
export const isInTerm = (instance: Instance, now: Date): boolean =>
  instance.paid_until !== null && Date.parse(instance.paid_until) > now.getTime()

/**
 * What deleting returns to the wallet. Billed hourly: the deploy charge less what this run has used of it. Upfront: the
 * total less the time held since the deploy at the hourly price; nothing once the term is over.
 */
export function returnsMicro(instance: Instance, now: Date): Micro {
  const prepaid = parseUsd(instance.prepaid_remaining)
  if (instance.paid_until !== null && !isInTerm(instance, now)) return 0n
  const kept =
    instance.paid_until === null
      ? (runCostMicro(instance, now) ?? 0n)
      : usedMicro(instance.hourly_cost, now.getTime() - Date.parse(instance.created_at))
  return prepaid > kept ? prepaid - kept : 0n
}

/** What running instances draw per hour once their prepaid hours are used up; those in a term draw nothing. */
export const runningRateMicro = (instances: readonly Instance[], now: Date): Micro =>
  instances
    .filter(instance => instance.status === 'running' && !isInTerm(instance, now))
    .reduce((sum, { hourly_cost }) => sum + parseUsd(hourly_cost), 0n)

/** The hourly cost with another data storage: the price it was deployed at, moved by the difference of the storage. */
export function hourlyWithStorageMicro(instance: Instance, dataStorageGb: number): Micro {
  const cost = (data_storage_gb: number) =>
    hourlyCostMicro({
      gpu_type: instance.gpu_type satisfies GpuType,
      gpu_count: instance.gpu_count,
      system_storage_gb: instance.system_storage_gb,
      data_storage_gb,
    })
  return parseUsd(instance.hourly_cost) + cost(dataStorageGb) - cost(instance.data_storage_gb)
}

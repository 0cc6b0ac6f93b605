import type { Micro } from '@ingot/contracts/money'
import { snapshotMonthMicro, volumeMonthMicro } from '@ingot/contracts/volume/prices'
import type { Volume } from '@ingot/contracts/volumes'

/** Why no snapshot can be taken of it now; null: it can. */
export function whyNoCopy({ status, lapsed_at, growing, quiesce, instance, name }: Volume): string | null {
  if (status === 'creating' || status === 'deleting') return `${name} is ${status} now.`
  if (lapsed_at !== null) return `The month of ${name} is not paid.`
  if (growing) return `${name} is being made larger now.`
  return quiesce === 'stopped' && instance && instance.status !== 'stopped'
    ? `Here a snapshot is taken while no instance runs with the volume. Stop ${instance.name} first.`
    : null
}

export interface Months {
  readonly snapshot: Micro
  readonly volume: Micro
}

const gibibyte = 2n ** 30n
export const monthsOf = ({ used_bytes, size_gb }: Volume): Months => ({
  snapshot: snapshotMonthMicro(used_bytes === null ? BigInt(size_gb) * gibibyte : BigInt(used_bytes)),
  volume: volumeMonthMicro(size_gb),
})

/** What a volume and a snapshot cost in a month of 720 hours. Pages compute with these, so no schema stands here. */
import { type Micro, parseUsd } from '../money.ts'

export const minVolumeGb = 10
export const maxVolumeGb = 5_000
export const defaultVolumeGb = 50
/** What the dialog offers; the default is marked as popular. */
export const volumePresetsGb = [10, 25, 50, 100, 250, 500, 1000] as const
export const volumePerGbMonth = '0.10'
/** Of what is stored of it. */
export const snapshotPerGbMonth = '0.10'
export const volumeMonthHours = 720
const gibibyte = 2n ** 30n

/** Exact: every whole gigabyte is a whole number of micro-dollars. */
export const volumeMonthMicro = (sizeGb: number): Micro => BigInt(sizeGb) * parseUsd(volumePerGbMonth)

/** By the started tenth of a gigabyte, at least one. */
export function snapshotMonthMicro(usedBytes: bigint): Micro {
  const tenths = (usedBytes * 10n + gibibyte - 1n) / gibibyte
  return (tenths > 0n ? tenths : 1n) * (parseUsd(snapshotPerGbMonth) / 10n)
}

/** How much storage such a month is the price of. */
export const bytesOfSnapshotMonth = (month: Micro): bigint =>
  ((month / (parseUsd(snapshotPerGbMonth) / 10n)) * gibibyte) / 10n

/** What a size that is typed counts as: the default where it is no number, else held to the limits. */
export function typedVolumeGb(text: string): number {
  const typed = Number.parseInt(text, 10)
  return Number.isNaN(typed) ? defaultVolumeGb : Math.min(maxVolumeGb, Math.max(minVolumeGb, typed))
}

/** For making it larger: the started hours that are left of its month, to the next micro-dollar. */
export function growthMicro(fromGb: number, toGb: number, msLeft: number): Micro {
  const hours = BigInt(Math.max(0, Math.ceil(msLeft / 3_600_000)))
  const more = volumeMonthMicro(toGb) - volumeMonthMicro(fromGb)
  return (more * hours + BigInt(volumeMonthHours) - 1n) / BigInt(volumeMonthHours)
}

/** What an hour of a month is metered at: rounded down, so that a paid month covers all of its time. */
export const hourOfMonth = (month: Micro): Micro => month / BigInt(volumeMonthHours)

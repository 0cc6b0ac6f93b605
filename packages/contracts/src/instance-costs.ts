/**
 * Rules about the cost of one instance that both sides go by: what it has used, what deleting it returns, what it costs
 * with a larger disk, what a start needs in advance. The ledger settles by the same rules in SQL; what is computed here
 * from a wire read between two settlements is a figure to show ("about"), never one to send.
 */
import { type Configuration, storageHourlyMicro } from './catalog.ts'
import type { Instance } from './instances.ts'
import { formatUsd, type Micro, parseUsd } from './money.ts'

const hourMs = 3_600_000n

/** What this time costs at a price per hour. */
export const usedMicro = (hourly: Micro, ms: number): Micro =>
  (hourly * BigInt(Math.max(0, Math.floor(ms)))) / hourMs

/** Price of this run up to now; null while it does not run. */
export function runCostMicro(
  instance: Pick<Instance, 'status' | 'started_at' | 'hourly_cost'>,
  now: Date,
): Micro | null {
  if (instance.status !== 'running' || instance.started_at === null) return null
  return usedMicro(parseUsd(instance.hourly_cost), now.getTime() - Date.parse(instance.started_at))
}

/** Whether an upfront term pays for it now. */
export const isInTerm = ({ paid_until }: Pick<Instance, 'paid_until'>, now: Date): boolean =>
  paid_until !== null && Date.parse(paid_until) > now.getTime()

/** What comes back of an upfront total after this time: the time held is charged at the hourly price, never more than was paid. */
export function termReturnMicro(total: Micro, hourly: Micro, heldMs: number): Micro {
  const kept = usedMicro(hourly, heldMs)
  return total > kept ? total - kept : 0n
}

/** After so many whole days nothing of an upfront total comes back. */
export const termReturnsUntilDay = (total: Micro, hourly: Micro): number =>
  hourly === 0n ? Number.POSITIVE_INFINITY : Number((total + hourly * 24n - 1n) / (hourly * 24n))

/**
 * What deleting returns to the wallet. Billed hourly: the deploy charge less what this run has used of it. Upfront: the
 * total less the time held since the deploy, outages left out, at the hourly price; nothing once the term is over.
 */
export function returnsMicro(instance: Instance, now: Date): Micro {
  const prepaid = parseUsd(instance.prepaid_remaining)
  if (instance.paid_until !== null && !isInTerm(instance, now)) return 0n
  if (instance.paid_until !== null) {
    const heldMs = now.getTime() - Date.parse(instance.created_at) - instance.extended_ms
    return termReturnMicro(prepaid, parseUsd(instance.hourly_cost), heldMs)
  }
  const used = runCostMicro(instance, now) ?? 0n
  return prepaid > used ? prepaid - used : 0n
}

/** Why nothing can be chosen for the end of its term; null while it has one. */
export const whyNotTermEnd = (instance: Pick<Instance, 'paid_until'>, now: Date): string | null =>
  isInTerm(instance, now) ? null : 'It is billed by the hour: no term of it ends.'

/** What running instances draw per hour once their prepaid hours are used up; those in a term draw nothing. */
export const runningRateMicro = (instances: readonly Instance[], now: Date): Micro =>
  instances
    .filter(instance => instance.status === 'running' && !isInTerm(instance, now))
    .reduce((sum, { hourly_cost }) => sum + parseUsd(hourly_cost), 0n)

/**
 * The hourly cost with another data storage: the price it was deployed at, `hourly`, moved by the difference of the
 * storage alone. What its GPU costs today, or whether it is on sale, does not enter.
 */
export const hourlyWithStorageMicro = (hourly: Micro, c: Configuration, dataStorageGb: number): Micro =>
  hourly - storageHourlyMicro(c) + storageHourlyMicro({ ...c, data_storage_gb: dataStorageGb })

/** Why the storage of an instance inside its upfront term stays as it is; null outside of one. */
export const whyNotStorageInTerm = (instance: Pick<Instance, 'paid_until'>, now: Date): string | null =>
  isInTerm(instance, now)
    ? 'Storage is part of what was paid upfront; it can change when the term ends.'
    : null

/** Why the storage of one that waits for a place stays as it is; null where it does not wait. */
export const whyNotStorageQueued = ({ status_reason }: Pick<Instance, 'status_reason'>): string | null =>
  status_reason === 'queued'
    ? 'It waits for a place at the price that was shown: its storage can change after its turn, or once it has left the queue.'
    : null

/** Share of an hour that must be covered before an instance may start or restart: ten minutes. */
const startReserve = 6n

/** Ten minutes of an hourly cost, to the next micro-dollar: what a start needs in advance. */
export const startReserveMicro = (hourly: Micro): Micro => (hourly + startReserve - 1n) / startReserve

/** What a start takes of the wallet: its ten minutes beyond what is prepaid for it; nothing inside an upfront term. */
export function startNeedsMicro(
  instance: Pick<Instance, 'hourly_cost' | 'prepaid_remaining' | 'paid_until'>,
  now: Date,
): Micro {
  if (isInTerm(instance, now)) return 0n
  const prepaid = instance.paid_until === null ? parseUsd(instance.prepaid_remaining) : 0n
  const reserve = startReserveMicro(parseUsd(instance.hourly_cost))
  return reserve > prepaid ? reserve - prepaid : 0n
}

/**
 * Whether a start leaves ten minutes of everything that runs or is starting (`start_reserve` of the wallet). One that
 * takes nothing shortens nobody's time.
 */
export const coversStart = (balance: Micro, reserve: Micro, takes: Micro): boolean =>
  takes === 0n || balance >= reserve + takes

/** A price as it was shown, in the fields that a deploy, a clone and a change send along. */
export interface Quote {
  readonly quoted_hourly_cost: string
  readonly quoted_total: string
}

export const quoteOf = ({ hourly, total }: { readonly hourly: Micro; readonly total: Micro }): Quote => ({
  quoted_hourly_cost: formatUsd(hourly),
  quoted_total: formatUsd(total),
})

/** The fields of a quote that are sent and are no longer what they say, with what they are `now`. */
export const staleFields = (
  sent: Partial<Quote>,
  now: Partial<Quote>,
): Partial<Record<keyof Quote, string>> =>
  Object.fromEntries(
    Object.entries(now).filter(([field, value]) => {
      const quoted = sent[field as keyof Quote]
      return quoted !== undefined && quoted !== value
    }),
  )

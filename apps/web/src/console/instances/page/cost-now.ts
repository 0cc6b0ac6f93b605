/** What a run and a day have cost by now: what the service answered, and what the time since then costs. */
import { storageHourlyMicro } from '@ingot/contracts/catalog'
import type { InstanceCosts } from '@ingot/contracts/instance/costs'
import { usedMicro } from '@ingot/contracts/instance-costs'
import type { Instance } from '@ingot/contracts/instances'
import { formatUsd, parseUsd } from '@ingot/contracts/money'

interface CostNow {
  /** Null while it does not run. */
  readonly run: string | null
  readonly today: string
  /** One second costs so much, in micro-dollars with their parts. */
  readonly perSecond: string
}

const dayOf = (ms: number): number => Math.floor(ms / 86_400_000)

export function costNow({ at, run, today, drawing_per_hour }: InstanceCosts, nowMs: number): CostNow {
  const rate = parseUsd(drawing_per_hour)
  const since = Math.max(0, nowMs - Date.parse(at))
  const grown = (usd: string) => formatUsd(parseUsd(usd) + usedMicro(rate, since))
  const isNewDay = dayOf(nowMs) > dayOf(Date.parse(at))
  return {
    run: run === null ? null : grown(run),
    today: isNewDay ? formatUsd(usedMicro(rate, nowMs - dayOf(nowMs) * 86_400_000)) : grown(today),
    perSecond: formatUsd((rate + 1_800n) / 3_600n),
  }
}

/** What of an hour is its disk; null where all of it is included. */
export function diskHourly(instance: Instance): { readonly gpu: string; readonly disk: string } | null {
  const disk = storageHourlyMicro(instance)
  const all = parseUsd(instance.hourly_cost)
  return disk > 0n && disk < all ? { gpu: formatUsd(all - disk), disk: formatUsd(disk) } : null
}

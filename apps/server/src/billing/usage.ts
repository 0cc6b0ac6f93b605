/**
 * What ran and what it cost, read from the lines of usage and, for what is not settled yet, from the meters. A line that
 * goes over midnight (UTC), or over a full hour where hours are asked for, is cut there; its parts are differences of sums that are rounded, so they add up to it.
 *
 * What a term in advance covers costs nothing by the second, so it is not in here: it was paid when it began.
 */
import {
  mostUsageDays,
  mostUsageHourDays,
  mostUsageParts,
  type UsageRow,
  type usageGroups,
  type usageSplits,
} from '@ingot/contracts/billing'
import { IngotError } from '@ingot/contracts/errors'
import { formatUsd } from '@ingot/contracts/money'
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

export interface UsageQuestion {
  readonly by: (typeof usageGroups)[number]
  readonly split: (typeof usageSplits)[number]
  readonly from?: string
  readonly to?: string
}

interface Usage {
  readonly from: string
  readonly to: string
  readonly amount: string
  readonly used_ms: number
  readonly items: UsageRow[]
}

interface Sum {
  readonly key: string
  readonly label: string
  readonly part: string
  readonly part_label: string
  readonly amount_micro: bigint
  readonly used_ms: bigint
}

const keys = {
  hour: sql`to_char(p.start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00:00.000"Z"')`,
  day: sql`to_char(p.start at time zone 'UTC', 'YYYY-MM-DD')`,
  instance: sql`m.id::text`,
  kind: sql`m.kind`,
}
const labels = { hour: keys.hour, day: keys.day, instance: sql`m.label`, kind: sql`k.noun` }
const region = sql`coalesce(i.region, v.region, s.region`
const parts = {
  gpu: sql`coalesce(i.gpu_type, m.kind)`,
  instance: keys.instance,
  region: sql`${region}, m.kind)`,
}
/** What has no GPU, or no region any more, goes by its kind. */
const partLabels = {
  gpu: sql`coalesce(i.gpu_type, k.noun)`,
  instance: labels.instance,
  region: sql`${region}, k.noun)`,
}
const hourMs = 3_600_000
const dayMs = 86_400_000

export async function getUsage(db: Db, userId: string, question: UsageQuestion, at: string): Promise<Usage> {
  const { by, split } = question
  const to = question.to ?? at.slice(0, 10)
  const from = question.from ?? (by === 'hour' ? to : `${to.slice(0, 7)}-01`)
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1
  if (days < 1) throw invalid('from', 'It must not be later than the last day.')
  const most = by === 'hour' ? mostUsageHourDays : mostUsageDays
  if (days > most) throw invalid('from', `At most ${most} days can be asked for at once.`)
  const endMs = Date.parse(to) + dayMs
  const end = new Date(endMs).toISOString()
  const isByTime = by === 'day' || by === 'hour'
  const [unit, unitMs] = by === 'hour' ? [sql`'hour'`, hourMs] : [sql`'day'`, dayMs]
  // When the last hour or day begins.
  const last = new Date(endMs - unitMs).toISOString().slice(0, -1)
  const { rows } = await sql<Sum>`
    with line as (
      select 1 as sign, meter_id, from_at, to_at, amount_micro::numeric as micro from usage_line
      where user_id = ${userId} and to_at > ${from}::timestamptz and from_at < ${end}
      union all
      select -1, meter_id, from_at, to_at, amount_micro from usage_return
      where user_id = ${userId} and to_at > ${from}::timestamptz and from_at < ${end}
      union all
      select 1, id, metered_to, until_at, div(price_micro::numeric * billable_ms(metered_to, until_at, paid_until) + remainder, 3600000)
      from (select m.*, least(${at}::timestamptz, m.horizon, m.renews_at) as until_at from meter_now m
        where m.user_id = ${userId} and m.is_running) m
      where until_at > metered_to and until_at > ${from} and metered_to < ${end}),
    piece as (
      select sign, meter_id, start, micro, ms_of(to_at) - ms_of(from_at) as ms, greatest(0, ms_of(start) - ms_of(from_at)) as from_ms,
        least(ms_of(start) + ${unitMs}, ms_of(to_at)) - ms_of(from_at) as to_ms
      from (select l.*, d at time zone 'UTC' as start from line l cross join lateral generate_series(
          greatest(date_trunc(${unit}, from_at at time zone 'UTC'), ${from}::timestamp),
          least(to_at at time zone 'UTC' - interval '1 microsecond', ${last}::timestamp), ${unitMs} * interval '1 ms') d) l),
    p as (
      select meter_id, start, sign * (round(micro * to_ms / ms) - round(micro * from_ms / ms)) as micro,
        sign * (to_ms - from_ms) as used_ms
      from piece)
    select ${keys[by]} as key, max(${labels[by]}) as label, ${isByTime ? parts[split] : sql`''`} as part,
      max(${isByTime ? partLabels[split] : sql`''`}) as part_label, sum(p.micro)::bigint as amount_micro, sum(p.used_ms)::bigint as used_ms
    from p join meter m on m.id = p.meter_id join meter_kind k on k.id = m.kind left join gpu_instances i on i.id = m.id
    left join network_volumes v on v.id = m.id left join volume_snapshots s on s.id = m.id
    group by 1, 3 order by 1`.execute(db)
  const items = group(rows, isByTime)
  return {
    from,
    to,
    amount: formatUsd(rows.reduce((sum, { amount_micro }) => sum + amount_micro, 0n)),
    used_ms: rows.reduce((sum, { used_ms }) => sum + Number(used_ms), 0),
    items: isByTime ? items : items.toSorted((a, b) => Number(b.amount) - Number(a.amount)),
  }
}

function group(rows: readonly Sum[], isByTime: boolean): UsageRow[] {
  const named = isByTime ? dearest(rows) : null
  return [...Map.groupBy(rows, ({ key }) => key)].map(([key, sums]) => ({
    key,
    label: sums[0]!.label,
    ...total(sums),
    parts: named ? partsOf(sums, named) : [],
  }))
}

/** Those that are named in every day or hour, so that a part means the same in each. */
function dearest(rows: readonly Sum[]): ReadonlySet<string> {
  const sums = [...Map.groupBy(rows, ({ part }) => part)].map(
    ([part, all]) => [part, all.reduce((sum, { amount_micro }) => sum + amount_micro, 0n)] as const,
  )
  const sorted = sums.toSorted(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0))
  return new Set(sorted.slice(0, mostUsageParts).map(([part]) => part))
}

function partsOf(sums: readonly Sum[], named: ReadonlySet<string>): UsageRow['parts'] {
  const shown = sums.filter(({ part }) => named.has(part))
  const others = sums.filter(({ part }) => !named.has(part))
  return [
    ...shown.map(sum => ({ key: sum.part, label: sum.part_label, ...total([sum]) })),
    ...(others.length > 0 ? [{ key: null, label: 'Others', ...total(others) }] : []),
  ]
}

const total = (sums: readonly Sum[]) => ({
  amount: formatUsd(sums.reduce((sum, { amount_micro }) => sum + amount_micro, 0n)),
  used_ms: sums.reduce((sum, { used_ms }) => sum + Number(used_ms), 0),
})

const invalid = (field: string, message: string) =>
  new IngotError('validation_failed', { fields: { [field]: message } })

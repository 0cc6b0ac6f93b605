import type { usageSplits } from '@ingot/contracts/billing'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { formatMoney } from '../../ui/format.ts'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { Select } from '../../ui/Select.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { fillOf, StackedBars } from '../../ui/StackedBars.tsx'
import { useNow } from '../../ui/use-now.ts'
import { readOne } from '../list/read-search.ts'
import { useSearchState } from '../list/search-state.ts'
import { api } from '../shell/api.ts'
import { QueryView } from '../shell/QueryView.tsx'
import { walletQuery } from '../wallet/queries.ts'
import { UsageTable } from './UsageTable.tsx'
import { lastDayOf, lastMonths, meanOf, type Series, type UsageDay, usageDays } from './usage-days.ts'
import { CopyCall } from '../shell/CopyCall.tsx'

type Split = (typeof usageSplits)[number]
const splits = ['gpu', 'instance', 'region'] as const satisfies readonly Split[]
const splitWords: Record<Split, string> = { gpu: 'Kind', instance: 'Instance', region: 'Region' }
const hourMs = 3_600_000

/** What ran and what it cost on each day of a month, stacked by what the reader asks for. */
export function UsagePerDay() {
  const [address, change] = useSearchState()
  const today = useNow(60_000).toISOString().slice(0, 10)
  const months = lastMonths(today.slice(0, 7))
  const month = readOne(months, address['month']) ?? months[0]!
  const split = readOne(splits, address['split']) ?? 'gpu'
  const isNow = month === months[0]
  const wanted = { by: 'day', split, from: `${month}-01`, to: isNow ? undefined : lastDayOf(month) } as const
  const usage = useQuery({
    queryKey: ['billing', 'usage', month, split],
    queryFn: ({ signal }) => api.billing.usage(wanted, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: isNow ? 60_000 : false,
  })
  return (
    <section aria-labelledby="per-day" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <h2 id="per-day" className="mr-auto text-heading">
          Spend per day, {monthWords(month)}
        </h2>
        <RadioGroup
          legend="Split by"
          legendHidden
          layout="segments"
          options={splits.map(value => ({ value, label: splitWords[value] }))}
          value={split}
          onValueChange={value => change({ split: value === 'gpu' ? '' : value })}
        />
        <Select
          aria-label="Month"
          className="w-auto!"
          options={months.map(value => ({ value, label: monthWords(value) }))}
          value={month}
          onValueChange={value => change({ month: value === months[0] ? '' : value })}
        />
        <CopyCall call="billing.usage" values={wanted} />
      </div>
      <QueryView
        query={usage}
        failed="The usage could not be loaded"
        consequence="The history below, your instances and your volumes are not affected."
        skeleton={<Skeleton className="h-chart" />}
      >
        {({ items, from, to, amount }) => (
          <Chart {...usageDays(items, from, to)} amount={amount} isNow={isNow} key={from} />
        )}
      </QueryView>
    </section>
  )
}

interface ChartProps {
  readonly series: readonly Series[]
  readonly days: readonly UsageDay[]
  readonly amount: string
  readonly isNow: boolean
}

function Chart({ series, days, amount, isNow }: ChartProps) {
  const last = days.at(-1)!
  const [asked, setAsked] = useState(last.day)
  const [isTable, setIsTable] = useState(false)
  const chosen = days.find(({ day }) => day === asked) ?? last
  const mean = meanOf(days)
  const expected = useExpected(isNow ? last : null)
  const words = summary(days, amount, mean, expected)
  return (
    <div className="flex flex-col gap-2 rounded-panel border border-line bg-raised p-3">
      {series.length > 0 && (
        <ul aria-label="Parts" className="flex flex-wrap gap-x-4 gap-y-1">
          {series.map(({ key, label, amount: sum, place }) => (
            <li key={key ?? ''} className="flex items-center gap-1 text-label">
              <span aria-hidden className={cx('size-3 shrink-0 forced-color-adjust-none', fillOf(place))} />
              <span>{label}</span> <strong className="font-semi tabular-nums">{formatMoney(sum)}</strong>
            </li>
          ))}
        </ul>
      )}
      <StackedBars
        label={words}
        bars={days.map(({ day, amounts }) => ({
          key: day,
          label: String(Number(day.slice(8))),
          values: placed(series, amounts.map(Number)),
          expected: day === last.day ? (expected ?? undefined) : undefined,
        }))}
        mean={mean === null || Number(mean) === 0 ? null : Number(mean)}
        chosen={chosen.day}
        onChoose={setAsked}
      />
      <p aria-live="polite" className="text-label font-normal">
        <Sentence day={chosen} series={series} expected={chosen.day === last.day ? expected : null} />
        {mean !== null && Number(mean) > 0 && (
          <span className="text-muted"> {formatMoney(mean)} on average a day (the dotted line).</span>
        )}{' '}
        <span className="text-muted">
          Days are UTC. A month of storage counts as it passes. What a term in advance covers is not in it: it
          was paid when it began.
        </span>
      </p>
      <div>
        <Button variant="ghost" aria-expanded={isTable} onClick={() => setIsTable(!isTable)}>
          {isTable ? 'Hide the table' : 'As a table'}
        </Button>
      </div>
      {isTable && <UsageTable series={series} days={days} />}
    </div>
  )
}

function Sentence({
  day: { day, amount, amounts },
  series,
  expected,
}: {
  readonly day: UsageDay
  readonly series: readonly Series[]
  readonly expected: number | null
}) {
  const parts = series.flatMap(({ label }, index) =>
    Number(amounts[index]) === 0 ? [] : [`${label} ${formatMoney(amounts[index]!)}`],
  )
  return (
    <>
      <strong className="font-semi">{dayWords(day)}</strong> {formatMoney(amount)}
      {parts.length > 1 && `: ${parts.join(', ')}`}
      {expected !== null &&
        expected > Number(amount) &&
        `, ≈ ${formatMoney(expected.toFixed(2))} by 24:00 UTC`}
      .
    </>
  )
}

/** So far, and the hours that are left of the day (UTC) at the present rate. Null: nothing runs. */
function useExpected(today: UsageDay | null): number | null {
  const { data } = useQuery(walletQuery)
  const now = useNow(60_000).getTime()
  if (!today || !data) return null
  const rate = Number(data.spending_per_hour)
  const left = Date.parse(today.day) + 24 * hourMs - now
  // Before the service's clock is known, the day may be another.
  return rate > 0 && left > 0 && left <= 24 * hourMs ? Number(today.amount) + (rate * left) / hourMs : null
}

function placed(series: readonly Series[], values: readonly number[]): number[] {
  const all = [0, 0, 0, 0]
  for (const [index, value] of values.entries()) all[series[index]!.place] = value
  return all
}

function summary(
  days: readonly UsageDay[],
  amount: string,
  mean: string | null,
  expected: number | null,
): string {
  const last = days.at(-1)!
  const span = `Spend per day, ${dayWords(days[0]!.day)} to ${dayWords(last.day)}`
  if (Number(amount) === 0) return `${span}: nothing.`
  const highest = days.reduce((most, each) => (Number(each.amount) > Number(most.amount) ? each : most))
  const ofMean = mean === null ? '' : ` Average ${formatMoney(mean)}.`
  const ofNow =
    expected === null ? '' : ` About ${formatMoney(expected.toFixed(2))} by midnight UTC at this rate.`
  return `${span}: ${formatMoney(amount)}. Highest ${formatMoney(highest.amount)} on ${dayWords(highest.day)}.${ofMean} The last day ${formatMoney(last.amount)}.${ofNow}`
}

const dayWords = (day: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  }).format(new Date(day))

const monthWords = (month: string): string =>
  new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-01`),
  )

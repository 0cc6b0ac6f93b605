import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { cx } from '../../ui/cx.ts'
import { formatCount, formatMoney } from '../../ui/format.ts'
import { HeatStrip } from '../../ui/HeatStrip.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { fillOf, StackedBars } from '../../ui/StackedBars.tsx'
import { useNow } from '../../ui/use-now.ts'
import { spendingQuery } from '../billing/queries.ts'
import { newestInstancesQuery } from '../instances/queries.ts'
import { loadsQuery } from '../instances/watching/queries.ts'
import { CopyCall } from '../shell/CopyCall.tsx'
import { QueryView } from '../shell/QueryView.tsx'
import { useWallet } from '../wallet/wallet.tsx'
import { FigureTable } from '../../ui/FigureTable.tsx'
import { spendQuery } from './queries.ts'
import { expectedOf, meanOf, type Spend, spendName, spendOf, type SpendParts } from './spend.ts'
import { spendSentence } from './spend-sentence.ts'
import { meanOfCards, together } from './strips.ts'
import { clockText, dayMs, dayText, hourMs, monthText, weekdayText } from './times.ts'
import { usageHours } from './usage.ts'

const spans = { day: { count: 14, ms: dayMs }, hour: { count: 24, ms: hourMs } } as const
type By = keyof typeof spans
const spanOptions = [
  { value: 'day', label: '14 days' },
  { value: 'hour', label: '24 h' },
]
/** Cells of the load strip that are one hour of spending. */
const cellsAnHour = 4

/** What it cost, by day and by hour, with the month's figures in its head. */
export function SpendChart() {
  const [by, setBy] = useState<By>('day')
  const now = useNow(60_000).getTime()
  const { count, ms } = spans[by]
  const from = (Math.floor(now / ms) - count + 1) * ms
  const asked = new Date(from).toISOString().slice(0, 10)
  const query = useQuery(spendQuery(by, asked))
  const month = useQuery({ ...spendingQuery, refetchInterval: 60_000 })
  return (
    <section
      aria-labelledby="spend"
      className="flex min-w-0 flex-col gap-2 rounded-panel border border-line bg-raised p-4"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <h2 id="spend" className="text-heading">
          {by === 'day' ? 'Spend per day' : 'Spend per hour'}
        </h2>
        <p className="text-label text-muted tabular-nums">
          {month.data && (
            <>
              {monthText(Date.parse(month.data.month_start))} {formatMoney(month.data.spent)},{' '}
              {usageHours(month.data.usage_minutes)} h,{' '}
            </>
          )}
          {month.error && !month.data && "This month's figures could not be loaded. "}
          <Link to="/console/billing" className="link inline-flex min-h-6 items-center">
            View Billing Details
          </Link>
        </p>
      </div>
      <RadioGroup
        legend="Time"
        legendHidden
        layout="segments"
        options={spanOptions}
        value={by}
        onValueChange={value => setBy(value as By)}
      />
      <QueryView
        query={query}
        failed="The spending could not be loaded"
        consequence="Your instances are not affected."
        skeleton={<Skeleton className="h-chart" />}
      >
        {({ items, from: answered }) =>
          // While the other span is fetched, its answer is of other days.
          query.isPlaceholderData || answered !== asked ? (
            <Skeleton className="h-chart" />
          ) : (
            <Chart key={by} by={by} now={now} asked={asked} {...spendOf(items, by, from, now)} />
          )
        }
      </QueryView>
    </section>
  )
}

interface ChartProps extends SpendParts {
  readonly by: By
  readonly now: number
  readonly asked: string
}

function Chart({ by, now, asked, parts, spends }: ChartProps) {
  const { spendingPerHour } = useWallet()
  const last = spends.at(-1)!
  const [pointed, setPointed] = useState<number | null>(null)
  const chosen = spends.find(({ at }) => at === pointed) ?? last
  const mean = meanOf(spends)
  const expected = by === 'day' ? expectedOf(last, dayMs, spendingPerHour, now) : null
  const isEmpty = spends.every(({ amount }) => Number(amount) === 0) && expected === null
  const isMeanShown = mean !== null && Number(mean) > 0
  return (
    <>
      <p className="tabular-nums" aria-live="polite">
        <strong className="font-semi">
          {formatMoney(chosen.amount)} {nameOf(by, chosen, last)}
        </strong>
        <span className="text-muted">
          {chosen === last
            ? expected !== null && `, ≈ ${formatMoney(expected)} by 24:00 UTC`
            : partsText(chosen, parts)}
          {isMeanShown &&
            `, average of ${spends.length - 1} ${by === 'day' ? 'days' : 'hours'} ${formatMoney(mean)} (dotted)`}
          .
        </span>
      </p>
      {parts.length > 0 && (
        <ul aria-label="Parts" className={cx('flex flex-wrap gap-x-4 gap-y-1', by === 'day' && 'sm:hidden')}>
          {parts.map(({ place, label, amount }) => (
            <li key={place} className="flex items-center gap-1 text-label">
              <span aria-hidden className={cx('size-3 shrink-0 forced-color-adjust-none', fillOf(place))} />
              {label} <strong className="font-semi tabular-nums">{formatMoney(amount)}</strong>
            </li>
          ))}
        </ul>
      )}
      <div className="relative">
        <StackedBars
          label={spendSentence(by, spends, mean, expected)}
          bars={spends.map(spend => ({
            key: String(spend.at),
            ...barName(by, spend.at, spend === last),
            values: spend.parts.map(Number),
            total: by === 'day' && Number(spend.amount) > 0 ? rounded(spend.amount) : undefined,
            expected: spend === last && expected !== null ? Number(expected) : undefined,
          }))}
          mean={isMeanShown ? Number(mean) : null}
          chosen={pointed === null ? '' : String(chosen.at)}
          onChoose={key => setPointed(Number(key))}
          names={by === 'day' && !isEmpty ? namesOf(last, parts, expected) : undefined}
          onPhone={by === 'day' ? 7 : undefined}
        />
        {isEmpty && (
          <p className="pointer-events-none absolute inset-x-0 top-1/3 text-center text-muted">
            No spending in these {by === 'day' ? '14 days' : '24 hours'}.
          </p>
        )}
      </div>
      {by === 'hour' && <HourlyLoad />}
      <div className="flex flex-wrap items-start gap-2">
        <FigureTable
          label={by === 'day' ? 'Spend per day' : 'Spend per hour'}
          head={[by === 'day' ? 'Day (UTC)' : 'Hour (UTC)', ...parts.map(({ label }) => label), 'In all']}
          rows={spends.map(spend => [
            by === 'day' ? spendName(by, spend.at) : `${dayText(spend.at)} ${clockText(spend.at)}`,
            ...parts.map(({ place }) => formatMoney(spend.parts[place]!, { decimals: 6 })),
            formatMoney(spend.amount, { decimals: 6 }),
          ])}
        />
        <CopyCall call="billing.usage" values={{ by, from: asked }} />
      </div>
      <p className="text-label font-normal text-muted">
        Days are UTC. A month of storage counts as it passes. What a term in advance covers is not in it: it
        was paid when it began.
      </p>
    </>
  )
}

/** The mean load of the cards that ran, under the hours that it is of. */
function HourlyLoad() {
  const { data: instances } = useQuery(newestInstancesQuery)
  const all = instances?.items ?? []
  const { data: loads } = useQuery(loadsQuery(all.map(({ id }) => id)))
  const load = new Map(loads?.items.map(each => [each.instance_id, each] as const))
  const mean = meanOfCards(all.map(({ id, gpu_count }) => ({ gpus: gpu_count, load: load.get(id) })))
  if (!loads || !mean)
    return loads ? (
      <p className="text-label font-normal text-muted">
        No load is shown: no card here is measured{all.length > 0 && ', or they are simulated'}.
      </p>
    ) : null
  const from = Date.parse(loads.from)
  const start = Math.floor((from + dayMs - 1) / hourMs - 23) * hourMs
  const hours = hourly(mean, (start - from) / (hourMs / cellsAnHour))
  return (
    <div className="flex flex-col gap-1">
      <HeatStrip
        label="Mean GPU load per hour of the cards that ran, last 24 hours"
        values={hours.cells}
        ran={hours.ran}
        nameOf={at => `${clockText(start + at * hourMs)} UTC`}
        wide
        size="low"
      />
      <p className="text-label font-normal text-muted">
        Under each hour the load of the cards that ran
        {instances?.next_cursor ? ', of the newest 100 instances' : ''}, in its highest quarter.
      </p>
    </div>
  )
}

/** From the first cell of the first hour on; what the day does not reach was before it. */
function hourly(
  mean: { readonly cells: readonly (number | null)[]; readonly ran: readonly boolean[] },
  first: number,
) {
  const skip = Math.max(0, Math.round(first))
  const missing = Math.max(0, -Math.round(first))
  return together(
    {
      cells: [...Array.from({ length: missing }, () => null), ...mean.cells.slice(skip)],
      ran: [...Array.from({ length: missing }, () => false), ...mean.ran.slice(skip)],
    },
    cellsAnHour,
  )
}

const nameOf = (by: By, spend: Spend, last: Spend): string => {
  if (by === 'day') return spend === last ? 'today' : `on ${spendName(by, spend.at)}`
  return spend === last ? 'in this hour' : `from ${clockText(spend.at)} UTC`
}

const partsText = (spend: Spend, parts: SpendParts['parts']): string => {
  const own = parts.filter(({ place }) => Number(spend.parts[place]) > 0)
  return own.length > 1
    ? `: ${own.map(({ place, label }) => `${label} ${formatMoney(spend.parts[place]!)}`).join(', ')}`
    : ''
}

const barName = (by: By, at: number, isLast: boolean) =>
  by === 'day'
    ? {
        label: isLast ? 'Today' : weekdayText(at).slice(0, 2),
        detail: isLast ? 'so far' : dayText(at).split(' ')[0]!,
      }
    : { label: clockText(at).slice(0, 2) }

/** Above a bar there is room for whole dollars. */
const rounded = (amount: string): string => {
  const dollars = Math.round(Number(amount))
  return dollars === 0 ? '<1' : formatCount(dollars)
}

function namesOf(last: Spend, parts: SpendParts['parts'], expected: string | null) {
  let base = 0
  const names = parts.flatMap(({ place, label }) => {
    const value = Number(last.parts[place])
    const middle = base + value / 2
    base += value
    return value > 0 ? [{ value: middle, text: `${label} ${formatMoney(last.parts[place]!)}` }] : []
  })
  return expected === null
    ? names
    : [...names, { value: Number(expected), text: `≈ ${formatMoney(expected)}` }]
}

import type { Money, MoneyDay } from '@ingot/contracts/admin/business'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { Band } from '../../../ui/Band.tsx'
import { cx } from '../../../ui/cx.ts'
import { FigureTable } from '../../../ui/FigureTable.tsx'
import { formatMoney } from '../../../ui/format.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { toast } from '../../../ui/toast.ts'
import { api } from '../../shell/api.ts'
import { errorText } from '../../shell/error-text.ts'
import { QueryView } from '../../shell/QueryView.tsx'
import {
  axisDays,
  dayText,
  type Scale,
  scaleOf,
  shapeOf,
  shortMoney,
  uncoveredSince,
  yOf,
} from './money-chart.ts'
import { type DaySpan, moneyQuery } from './queries.ts'

type Height = 'h-24' | 'h-chart'

interface RevenueAndLiabilityProps {
  /** The last 30 days where nothing is said. */
  readonly span?: DaySpan
}

/** What is earned above what is owed, on one axis of days: coins held must never be less than what customers hold. */
export function RevenueAndLiability({ span = {} }: RevenueAndLiabilityProps) {
  const query = useQuery({ ...moneyQuery(span), placeholderData: keepPreviousData })
  return (
    <section
      aria-labelledby="revenue-and-liability"
      className="flex min-w-0 flex-col gap-3 rounded-panel border border-line bg-raised p-4"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h2 id="revenue-and-liability" className="text-heading">
          Revenue and liability
        </h2>
        {query.data && <Agreement money={query.data} />}
      </div>
      <QueryView
        query={query}
        failed="Revenue and liability could not be loaded"
        consequence="Money moves on as it should."
        skeleton={<Skeleton className="h-chart" />}
      >
        {money => <Charts money={money} />}
      </QueryView>
    </section>
  )
}

/** When the books were last compared, and the way to do it now. */
function Agreement({ money: { days, check } }: { readonly money: Money }) {
  const client = useQueryClient()
  const again = useMutation({
    mutationFn: () => api.business.check({}),
    onError: error => toast.error(errorText(error)),
    onSettled: () => client.invalidateQueries({ queryKey: ['business', 'money'] }),
  })
  const isRunning = check.is_running || again.isPending
  return (
    <p className="text-label font-normal text-muted tabular-nums">
      {days.length} {days.length === 1 ? 'day' : 'days'},{' '}
      {check.findings === 0 ? (
        <>ledger and chain agreed at {utcText(check.at)}</>
      ) : (
        <strong className="font-semi text-danger">
          {check.findings === 1 ? '1 disagreement' : `${check.findings} disagreements`} found at{' '}
          {utcText(check.at)}
        </strong>
      )}
      ,{' '}
      {isRunning ? (
        'comparing now…'
      ) : (
        <button type="button" className="min-h-6 text-link underline" onClick={() => again.mutate()}>
          check again
        </button>
      )}
    </p>
  )
}

/** The time alone on the same day, else with the date. */
function utcText(at: string): string {
  const isToday = Date.now() - Date.parse(at) < 86_400_000
  return `${isToday ? '' : `${dayText(at)}, `}${at.slice(11, 19)} UTC`
}

function Charts({ money }: { readonly money: Money }) {
  const { days, now } = money
  const [asked, choose] = useState<number | null>(null)
  const last = days.length - 1
  const at = Math.min(asked ?? last, last)
  const chosen = days[at]!
  const isNow = days[last]!.day === now.at.slice(0, 10)
  const expected = isNow ? Number(now.projected) : null
  const since = uncoveredSince(days)
  const [revenue, liability] = [
    scaleOf([...days.map(day => Number(day.revenue)), expected ?? 0], true),
    scaleOf(
      days.flatMap(({ held, owed }) => [Number(held), Number(owed)]),
      false,
    ),
  ]
  const move = (event: KeyboardEvent) => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key]
    if (to === undefined) return
    event.preventDefault()
    choose(Math.min(last, Math.max(0, to)))
  }
  const point = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    choose(Math.min(last, Math.max(0, Math.floor(((event.clientX - left) / width) * days.length))))
  }
  return (
    <div className="flex flex-col gap-2">
      {since && (
        <Band tone="danger">
          Less is held than customers hold, since {dayText(since)}: {formatMoney(now.held)} against{' '}
          {formatMoney(now.owed)}. What was given by hand is owed and never came in; coins at addresses that
          this service does not know count as gone.
        </Band>
      )}
      {/* The figures must be readable without a pointer, so a picture takes the focus here and answers the arrows. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
        role="img"
        aria-label={summary(money, since)}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        onKeyDown={move}
        className="grid grid-cols-[auto_1fr] gap-x-2 gap-y-4 rounded-tag sm:grid-cols-[auto_1fr_auto]"
      >
        <Ticks scale={revenue} height="h-24" />
        <Plot
          height="h-24"
          scale={revenue}
          count={days.length}
          at={at}
          onPoint={point}
          onLeave={() => choose(null)}
        >
          <Bars days={days} scale={revenue} expected={expected} />
        </Plot>
        <Names
          items={[
            [
              Number(days[last]!.revenue),
              `Revenue ${formatMoney(days[last]!.revenue)}`,
              expected === null ? '' : `≈ ${formatMoney(expected.toFixed(2))} by 24:00`,
            ],
          ]}
          height="h-24"
        />
        <Ticks scale={liability} height="h-chart" />
        <Plot
          height="h-chart"
          scale={liability}
          count={days.length}
          at={at}
          onPoint={point}
          onLeave={() => choose(null)}
        >
          {liability.from > 0 && (
            <span className="absolute top-0 left-0 bg-raised pr-1 text-label text-ink">
              This scale starts at {shortMoney(liability.from)}
            </span>
          )}
          <Lines days={days} scale={liability} isShort={since !== null} />
        </Plot>
        <Names
          isDanger={since !== null}
          items={[
            [Number(days[last]!.held), `Held ${formatMoney(days[last]!.held)}`, aboveText(days[last]!)],
            [
              Number(days[last]!.owed),
              `Owed ${formatMoney(days[last]!.owed)}`,
              isNow ? `${now.balances} ${now.balances === 1 ? 'balance' : 'balances'}` : '',
            ],
          ]}
          height="h-chart"
        />
        <span />
        <div aria-hidden className="relative h-4 text-label font-normal text-muted">
          {axisDays(days).map(({ at: n, text }, place) => (
            <span
              key={n}
              style={{ left: `${((n + 0.5) / days.length) * 100}%` }}
              className={cx(
                'absolute -translate-x-1/2 whitespace-nowrap',
                (place % 2 === 1 || place > 2) && 'max-sm:hidden',
              )}
            >
              {text}
            </span>
          ))}
          <span className="absolute right-0 font-semi whitespace-nowrap text-ink">
            {isNow ? 'Today' : dayText(days[last]!.day)}
          </span>
        </div>
        <span className="max-sm:hidden" />
      </div>
      <p aria-live="polite" className="text-label font-normal tabular-nums">
        <strong className="font-semi">{dayText(chosen.day)}</strong> revenue {formatMoney(chosen.revenue)},
        deposits {formatMoney(chosen.deposits)}, paid out {formatMoney(chosen.paid_out)}; at its end held{' '}
        {formatMoney(chosen.held)}, owed {formatMoney(chosen.owed)}.{' '}
        <span className="text-muted">Days are UTC. Owed is the dashed line.</span>
      </p>
      <div className="flex flex-wrap items-start gap-2">
        <FigureTable label="Revenue and liability" head={tableHead} rows={days.toReversed().map(tableRow)} />
      </div>
    </div>
  )
}

interface PlotProps {
  readonly height: Height
  readonly scale: Scale
  readonly count: number
  readonly at: number
  readonly onPoint: (event: PointerEvent<HTMLElement>) => void
  readonly onLeave: () => void
  readonly children: React.ReactNode
}

function Plot({ height, scale, count, at, onPoint, onLeave, children }: PlotProps) {
  return (
    <div
      onPointerMove={onPoint}
      onPointerLeave={onLeave}
      className={cx('relative border-b border-line-strong', height)}
    >
      <span
        style={{ left: `${(at / count) * 100}%`, width: `${100 / count}%` }}
        className="absolute inset-y-0 bg-selected"
      />
      {scale.ticks.slice(1).map(tick => (
        <span
          key={tick}
          style={{ top: `${yOf(tick, scale)}%` }}
          className="pointer-events-none absolute inset-x-0 border-t border-line"
        />
      ))}
      {children}
    </div>
  )
}

const Ticks = ({ scale, height }: { readonly scale: Scale; readonly height: Height }) => (
  <div
    aria-hidden
    className={cx('relative w-12 text-right text-label font-normal text-muted tabular-nums', height)}
  >
    {scale.ticks.map(tick => (
      <span key={tick} style={{ top: `${yOf(tick, scale)}%` }} className="absolute right-0 -translate-y-1/2">
        {shortMoney(tick)}
      </span>
    ))}
  </div>
)

interface BarsProps {
  readonly days: readonly MoneyDay[]
  readonly scale: Scale
  readonly expected: number | null
}

function Bars({ days, scale, expected }: BarsProps) {
  const height = (usd: number) => `${Math.max(0, 100 - yOf(usd, scale))}%`
  return (
    <div className="absolute inset-0 flex">
      {days.map(({ day, revenue }, n) => {
        const more = n === days.length - 1 && expected !== null ? expected - Number(revenue) : 0
        return (
          <span key={day} className="flex min-w-0 flex-1 flex-col-reverse px-px sm:px-0.5">
            {Number(revenue) > 0 && (
              <span
                style={{ height: height(Number(revenue)) }}
                className="min-h-0.5 shrink-0 bg-chart-1 forced-color-adjust-none"
              />
            )}
            {more > 0 && (
              <span
                style={{ height: height(more + scale.from) }}
                className="border border-b-0 border-dashed border-muted"
              />
            )}
          </span>
        )
      })}
    </div>
  )
}

interface LinesProps {
  readonly days: readonly MoneyDay[]
  readonly scale: Scale
  readonly isShort: boolean
}

function Lines({ days, scale, isShort }: LinesProps) {
  const { held, owed, between } = shapeOf(days, scale)
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${days.length} 100`}
      preserveAspectRatio="none"
      className="pointer-events-none absolute inset-0 size-full overflow-visible forced-color-adjust-none"
    >
      <path d={between} className={isShort ? 'fill-danger-soft' : 'fill-accent-soft'} />
      <path
        d={held}
        vectorEffect="non-scaling-stroke"
        className={cx('fill-none stroke-2', isShort ? 'stroke-danger' : 'stroke-chart-1')}
      />
      <path
        d={owed}
        vectorEffect="non-scaling-stroke"
        className="fill-none stroke-ink stroke-2 [stroke-dasharray:4_3]"
      />
    </svg>
  )
}

interface NamesProps {
  /** What is pointed at, its words, and a second line. The higher one first. */
  readonly items: readonly (readonly [value: number, text: string, more: string])[]
  readonly height: Height
  readonly isDanger?: boolean
}

/** At the right of the last day; on a phone the sentence below says the same. */
function Names({ items, height, isDanger = false }: NamesProps) {
  return (
    <div
      aria-hidden
      className={cx(
        'flex w-names flex-col justify-center gap-3 text-label whitespace-nowrap tabular-nums max-sm:hidden',
        height,
      )}
    >
      {items
        .toSorted(([a], [b]) => b - a)
        .map(([, text, more]) => (
          <span key={text} className="flex flex-col">
            <span className={cx('font-semi', isDanger && 'text-danger')}>{text}</span>
            <span className="font-normal text-muted">{more}</span>
          </span>
        ))}
    </div>
  )
}

function aboveText({ held, owed }: MoneyDay): string {
  const [in_, out] = [Number(held), Number(owed)]
  if (out === 0) return ''
  const percent = ((in_ - out) / out) * 100
  return `${Math.abs(percent).toFixed(1)}% ${percent < 0 ? 'below' : 'above'}`
}

function summary({ days, total, now }: Money, since: string | null): string {
  const highest = days.reduce((most, day) => (Number(day.revenue) > Number(most.revenue) ? day : most))
  return `Revenue from ${dayText(days[0]!.day)} to ${dayText(days.at(-1)!.day)}: ${formatMoney(total.revenue)}, most on ${dayText(highest.day)} with ${formatMoney(highest.revenue)}. Held ${formatMoney(now.held)}, owed ${formatMoney(now.owed)}${since ? `: less than owed since ${dayText(since)}` : ''}.`
}

const tableHead = [
  'Day (UTC)',
  'Revenue',
  'Deposits',
  'Paid out',
  'Given',
  'Taken',
  'Promotion used',
  'Owed',
  'Paid in advance',
  'Held',
]
const tableRow = (day: MoneyDay): string[] => [
  day.day,
  ...[
    day.revenue,
    day.deposits,
    day.paid_out,
    day.given,
    day.taken,
    day.promotion_used,
    day.owed,
    day.prepaid,
    day.held,
  ].map(usd => formatMoney(usd, { decimals: 6 })),
]

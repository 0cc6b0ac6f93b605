import type { InstanceLoad } from '@ingot/contracts/instance/watching'
import type { Instance } from '@ingot/contracts/instances'
import { formatUsd, parseUsd } from '@ingot/contracts/money'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { formatCount, formatRate } from '../../ui/format.ts'
import { heatFills } from '../../ui/HeatStrip.tsx'
import { Money } from '../../ui/Money.tsx'
import { SkeletonRows } from '../../ui/Skeleton.tsx'
import { StatusShape } from '../../ui/StatusShape.tsx'
import { useNow } from '../../ui/use-now.ts'
import { loadsQuery } from '../instances/watching/queries.ts'
import { CopyCall } from '../shell/CopyCall.tsx'
import { QueryView } from '../shell/QueryView.tsx'
import { FigureTable } from '../../ui/FigureTable.tsx'
import { runningQuery, todayQuery } from './queries.ts'
import { DayStrip, type StripAxis } from './DayStrip.tsx'
import { axisOf, loadNow, meanOfCards } from './strips.ts'
import { clockText, dayMs, momentText, spanText } from './times.ts'

const mostRows = 20

/** What runs, on one axis of 24 hours, so that a night is read downwards. */
export function RunningNow() {
  const running = useQuery(runningQuery)
  const all = running.data?.items ?? []
  const now = useNow(60_000).getTime()
  const loads = useQuery(loadsQuery(all.map(({ id }) => id)))
  const today = useQuery({ ...todayQuery(now), enabled: all.length > 0 })
  const [isWhole, setWhole] = useState(false)
  const spent = new Map(today.data?.items.map(({ key, amount }) => [key, amount] as const))
  const load = new Map(loads.data?.items.map(each => [each.instance_id, each] as const))
  const rows = all.map(instance => ({
    instance,
    load: load.get(instance.id),
    today: today.data && (spent.get(instance.id) ?? '0.000000'),
  }))
  const from = loads.data ? Date.parse(loads.data.from) : now - dayMs
  const axis = { from, ...axisOf(from, now) }
  const isHeat = rows.some(each => each.load?.measured && !each.load.simulated)
  const shown = isWhole ? rows : rows.slice(0, mostRows)
  return (
    <section aria-labelledby="running" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id="running" className="text-heading">
          Running now
        </h2>
        {isHeat && <Scale />}
      </div>
      <QueryView
        query={running}
        failed="What runs could not be loaded"
        consequence="Your instances go on as they are."
        skeleton={<SkeletonRows rows={3} columns={5} />}
      >
        {() =>
          all.length === 0 ? (
            <p className="text-muted">Nothing runs. A stopped instance costs nothing.</p>
          ) : (
            <>
              <WideRows rows={shown} all={rows} axis={axis} now={now} />
              <NarrowRows rows={shown} axis={axis} now={now} />
              {loads.error && (
                <p className="text-label font-normal text-muted">
                  {loads.data
                    ? `Load from ${clockText(loads.dataUpdatedAt)} UTC: what follows is not measured, not zero.`
                    : 'The load could not be loaded. '}
                  <button type="button" onClick={() => void loads.refetch()} className="link min-h-6">
                    Try again
                  </button>
                </p>
              )}
              <div className="flex flex-wrap items-start gap-2">
                {all.length > mostRows && (
                  <Button aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
                    {isWhole ? `The newest ${mostRows}` : `All ${formatCount(all.length)}`}
                  </Button>
                )}
                <CopyCall call="instances.list" values={{ status: 'running', limit: 100 }} />
                <FigureTable label="GPU load, last 24 hours" {...figuresOf(rows, from, now)} />
              </div>
              {running.data?.next_cursor && (
                <p className="text-label font-normal text-muted">
                  The newest 100.{' '}
                  <Link to="/console/instances" search={{ status: 'running' }} className="link">
                    All that run
                  </Link>
                </p>
              )}
            </>
          )
        }
      </QueryView>
    </section>
  )
}

function Scale() {
  return (
    <p className="flex items-center gap-2 text-label text-muted forced-colors:hidden">
      <span className="max-sm:hidden">GPU load, last 24 h</span>
      <span className="sm:hidden">GPU load, 24 h</span>
      <span>0%</span>
      <span aria-hidden className="flex gap-px">
        {heatFills.map(fill => (
          <span key={fill} className={cx('h-3 w-5', fill)} />
        ))}
      </span>
      <span>100%</span>
    </p>
  )
}

interface Row {
  readonly instance: Instance
  readonly load: InstanceLoad | undefined
  readonly today: string | undefined
}

interface RowsProps {
  readonly rows: readonly Row[]
  readonly axis: StripAxis
  readonly now: number
}

const rateOf = ({ hourly_cost, paid_until }: Instance, now: number): string =>
  paid_until !== null && Date.parse(paid_until) > now ? '0.000000' : hourly_cost

const sumOf = (amounts: readonly string[]): string =>
  formatUsd(amounts.reduce((sum, amount) => sum + parseUsd(amount), 0n))

const whatOf = ({ gpu_count, gpu_type, region }: Instance) => `${gpu_count}× ${gpu_type}, ${region}`

const head = 'h-head px-3 text-label font-medium whitespace-nowrap text-muted'
const cell = 'px-3 text-right tabular-nums whitespace-nowrap'

function WideRows({ rows, all, axis, now }: RowsProps & { readonly all: readonly Row[] }) {
  const gpus = all.reduce((sum, { instance }) => sum + instance.gpu_count, 0)
  const mean = meanOfCards(all.map(({ instance, load }) => ({ gpus: instance.gpu_count, load })))
  const today = all.every(row => row.today !== undefined) ? sumOf(all.map(row => row.today!)) : undefined
  const meanNow = mean && loadNow(mean.cells)
  return (
    <div className="overflow-x-auto rounded-panel border border-line bg-raised max-sm:hidden">
      <table aria-label="Running now" className="w-full border-collapse text-left">
        <thead>
          <tr>
            <th scope="col" className={head}>
              Instance
            </th>
            <th scope="col" className={cx(head, 'w-1/2')}>
              <span className="sr-only">GPU load, last 24 hours, UTC</span>
              <Ticks axis={axis} />
            </th>
            <th scope="col" className={cx(head, 'text-right')}>
              Load now
            </th>
            <th scope="col" className={cx(head, 'text-right')}>
              Per hour
            </th>
            <th scope="col" className={cx(head, 'text-right max-lg:hidden')}>
              Today
            </th>
            <th scope="col" className={cx(head, 'text-right max-lg:hidden')}>
              Running for
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ instance, load, today: spent }) => (
            <tr key={instance.id} className="border-t border-line">
              <th scope="row" className="h-12 max-w-menu px-3 font-normal">
                <InstanceName {...instance} />
                <span className="block truncate text-label font-normal text-muted">{whatOf(instance)}</span>
              </th>
              <td className="relative px-3">
                <DayStrip label={`GPU load of ${instance.name}`} load={load} axis={axis} />
              </td>
              <td className={cx(cell, 'font-semi')}>
                <LoadNow instance={instance} load={load} now={now} />
              </td>
              <td className={cell}>
                <Rate instance={instance} now={now} />
              </td>
              <td className={cx(cell, 'max-lg:hidden')}>
                {spent === undefined ? '–' : <Money value={spent} />}
              </td>
              <td className={cx(cell, 'text-muted max-lg:hidden')}>
                {idleText(instance, now) ?? runningFor(instance, now)}
              </td>
            </tr>
          ))}
          <tr className="border-t border-line bg-sunken">
            <th scope="row" className="h-12 px-3 font-semi">
              All {gpus === 1 ? '1 GPU' : `${formatCount(gpus)} GPUs`}
              {mean && (
                <span className="block text-label font-normal text-muted">mean of the cards that ran</span>
              )}
            </th>
            <td className="relative px-3">
              {mean && (
                <DayStrip
                  label="Mean GPU load of all that runs"
                  load={{ ...mean, measured: true, simulated: false }}
                  axis={axis}
                  isLow
                />
              )}
            </td>
            <td className={cx(cell, 'font-semi')}>{meanNow == null ? '' : `${meanNow}%`}</td>
            <td className={cx(cell, 'font-semi')}>
              <Money value={sumOf(all.map(({ instance }) => rateOf(instance, now)))} rate />
            </td>
            <td className={cx(cell, 'font-semi max-lg:hidden')}>
              {today === undefined ? '–' : <Money value={today} />}
            </td>
            <td className={cx(cell, 'text-muted max-lg:hidden')}>–</td>
          </tr>
        </tbody>
      </table>
    </div>
  )
}

function NarrowRows({ rows, axis, now }: RowsProps) {
  return (
    <div className="rounded-panel border border-line bg-raised sm:hidden">
      <ul aria-label="Running now">
        {rows.map(({ instance, load, today }) => (
          <li key={instance.id} className="flex flex-col gap-1 border-b border-line px-3 py-2">
            <div className="flex items-baseline justify-between gap-3">
              <span className="min-w-0">
                <InstanceName {...instance} />
              </span>
              <span className="shrink-0 font-semi tabular-nums">
                <LoadNow instance={instance} load={load} now={now} />
              </span>
            </div>
            <div className="relative">
              <DayStrip label={`GPU load of ${instance.name}`} load={load} axis={axis} isHalved />
            </div>
            <div className="flex flex-wrap justify-between gap-x-3 text-label font-normal text-muted tabular-nums">
              <span>{whatOf(instance)}</span>
              <span>
                {formatRate(rateOf(instance, now))}/h
                {today !== undefined && (
                  <>
                    , <Money value={today} /> today
                  </>
                )}
              </span>
            </div>
          </li>
        ))}
      </ul>
      <p className="flex justify-between px-3 py-2 text-label font-normal text-muted tabular-nums">
        <span>{axis.ticks[0]?.label}</span>
        <span>now, UTC</span>
      </p>
    </div>
  )
}

function InstanceName({ id, name }: Instance) {
  return (
    <Link
      to="/console/instances/$id"
      params={{ id }}
      className="block truncate font-semi hover:underline"
      title={name}
    >
      {name}
    </Link>
  )
}

const Rate = ({ instance, now }: { readonly instance: Instance; readonly now: number }) =>
  instance.paid_until !== null && Date.parse(instance.paid_until) > now ? (
    <span className="text-muted">in a term</span>
  ) : (
    <Money value={instance.hourly_cost} rate />
  )

interface LoadNowProps {
  readonly instance: Instance
  readonly load: InstanceLoad | undefined
  readonly now: number
}

function LoadNow({ instance, load, now }: LoadNowProps) {
  if (idleText(instance, now))
    return (
      <span className="inline-flex items-center gap-2 text-warn">
        <StatusShape kind="attention" /> Idle
      </span>
    )
  const value = load && load.measured && !load.simulated ? loadNow(load.cells) : null
  return value === null ? <span className="font-normal text-muted">–</span> : `${value}%`
}

/** `47 of 60 min idle`, from half of its minutes on, as under "Needs attention". */
function idleText({ auto_shutdown_at, auto_shutdown_minutes, snoozed_until }: Instance, now: number) {
  if (auto_shutdown_at === null || snoozed_until !== null) return null
  const minutes = auto_shutdown_minutes - (Date.parse(auto_shutdown_at) - now) / 60_000
  return minutes < auto_shutdown_minutes / 2
    ? null
    : `${Math.min(auto_shutdown_minutes, Math.floor(minutes))} of ${auto_shutdown_minutes} min idle`
}

const runningFor = ({ started_at }: Instance, now: number) =>
  started_at === null ? '–' : spanText(now - Date.parse(started_at))

function Ticks({ axis: { ticks } }: { readonly axis: StripAxis }) {
  return (
    <span aria-hidden className="relative block h-4">
      {ticks.map(({ at, label }, index) => (
        <span
          key={label}
          style={{ left: `${at}%` }}
          className={cx(
            'absolute tabular-nums',
            index === ticks.length - 1 ? '-translate-x-full text-ink' : '-translate-x-1/2',
          )}
        >
          {label}
        </span>
      ))}
    </span>
  )
}

/** Each quarter of an hour of each instance, in words where there is no figure. */
function figuresOf(rows: readonly Row[], from: number, now: number) {
  const length = rows.find(({ load }) => load)?.load?.cells.length ?? 0
  const cellMs = length === 0 ? 0 : dayMs / length
  return {
    head: ['From (UTC)', ...rows.map(({ instance }) => instance.name)],
    rows: Array.from({ length }, (_, at) => at)
      .filter(at => from + at * cellMs <= now)
      .map(at => [momentText(from + at * cellMs), ...rows.map(({ load }) => figureOf(load, at))]),
  }
}

function figureOf(load: InstanceLoad | undefined, at: number): string {
  if (!load) return ''
  if (!load.ran[at]) return 'off'
  if (load.simulated) return 'simulated'
  const value = load.measured ? load.cells[at] : null
  return value == null ? 'not measured' : `${value}%`
}

import type { Metrics } from '@ingot/contracts/instance/watching'
import type { Instance } from '@ingot/contracts/instances'
import { ArrowLeft, ArrowRight } from 'lucide-react'
import { Band } from '../../../ui/Band.tsx'
import { cx } from '../../../ui/cx.ts'
import { formatBytes } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/IconButton.tsx'
import { LineChart } from '../../../ui/LineChart.tsx'
import { type Chart, chartsOf, chartWords, unmeasuredText } from '../watching/charts.ts'
import { CardStrip } from './CardStrip.tsx'
import { type Cell, cellsOf, lastMinutes, minuteOf, phoneMinutes } from './last-hour.ts'

export interface HourProps {
  readonly instance: Instance
  readonly hour: Metrics
  readonly at: number | null
  readonly onRead: (at: number | null) => void
}

const scale = ['bg-heat-0', 'bg-heat-1', 'bg-heat-2', 'bg-heat-3', 'bg-heat-4', 'bg-heat-5']
/** Beside the strips: the temperature and the power of cards stand under Metrics. */
const shownCharts: readonly string[] = ['gpu-memory', 'processor', 'memory', 'network', 'disk']
const percentText = (cell: Cell | undefined): string =>
  typeof cell === 'number' ? `${Math.round(cell)}%` : cell === 'off' ? 'Off' : '–'

export const hourCharts = (hour: Metrics): Chart[] =>
  chartsOf(hour).filter(({ key }) => shownCharts.includes(key))

const hasFigures = (hour: Metrics): boolean =>
  hourCharts(hour).some(({ lines }) => lines.some(({ values }) => values.some(value => value !== null)))

/** A strip a card, or in its place why there is none; and the figures of the minute that is read. */
export function Loads({ instance, hour, at, onRead }: HourProps) {
  const { gpu_count, hardware } = instance
  const isReal = hardware === 'real' && !hour.simulated
  const strips = isReal && hour.measures.cards
  const cards = Array.from({ length: gpu_count }, (_, card) => ({
    cells: cellsOf(hour.cards[card]?.load ?? unknown, hour, instance),
    memory: hour.cards[card]?.memory_bytes.findLast(value => value !== null) ?? null,
  }))
  return (
    <section aria-labelledby="gpu-load" className="max-lg:order-1 flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h2 id="gpu-load" className="text-heading">
          GPU load, last hour
        </h2>
        {strips && <Scale />}
      </div>
      <div className="rounded-panel border border-line bg-raised">
        <ul>
          {cards.map(({ cells, memory }, card) => (
            // A card has its place.
            // oxlint-disable-next-line react/no-array-index-key
            <li
              key={card}
              className="flex items-center gap-3 border-t border-line px-3 py-2 first:border-t-0"
            >
              <span className="w-12 shrink-0 font-medium tabular-nums">GPU {card}</span>
              {strips ? (
                <CardStrip label={`Load of GPU ${card}, last hour`} cells={cells} at={at} onRead={onRead} />
              ) : (
                <span className="grow text-muted">{isReal ? 'Not measured here' : 'Simulated'}</span>
              )}
              {strips && (
                <span className="w-12 shrink-0 text-right font-semi tabular-nums">
                  {percentText(cells.at(-1))}
                </span>
              )}
              {strips && (
                <span className="w-16 shrink-0 text-right text-muted tabular-nums max-sm:hidden">
                  {memory === null ? '' : formatBytes(memory)}
                </span>
              )}
            </li>
          ))}
        </ul>
        {strips && <Ticks hour={hour} />}
      </div>
      {(strips || hasFigures(hour)) && <Reading hour={hour} instance={instance} at={at} onRead={onRead} />}
    </section>
  )
}

const unknown: readonly null[] = Array.from({ length: lastMinutes }, () => null)

function Scale() {
  return (
    <span aria-hidden className="flex items-center gap-2 text-label font-normal text-muted max-sm:hidden">
      one cell a minute
      <span>0%</span>
      <span className="flex gap-px forced-colors:hidden">
        {scale.map(color => (
          <span key={color} className={cx('h-3 w-6', color)} />
        ))}
      </span>
      <span>100%</span>
    </span>
  )
}

/** Under the strips, in their columns. The last is now. */
function Ticks({ hour }: { readonly hour: Metrics }) {
  const of = hour.cards[0]?.memory_limit_bytes ?? null
  const row = (minutes: number, every: number, className: string) => (
    <span className={cx('min-w-0 grow justify-between', className)}>
      {Array.from({ length: minutes / every + 1 }, (_, tick) => (
        <span key={tick} className={tick === minutes / every ? 'text-ink' : undefined}>
          {minuteOf(hour, lastMinutes - minutes + tick * every)}
        </span>
      ))}
    </span>
  )
  return (
    <p
      aria-hidden
      className="flex gap-3 border-t border-line px-3 py-1 text-label font-normal text-muted tabular-nums"
    >
      <span className="w-12 shrink-0" />
      {row(lastMinutes, 15, 'flex max-sm:hidden')}
      {row(phoneMinutes, 20, 'flex sm:hidden')}
      <span className="w-12 shrink-0 text-right">now</span>
      <span className="w-16 shrink-0 text-right max-sm:hidden">{of !== null && `of ${formatBytes(of)}`}</span>
    </p>
  )
}

function Reading({ instance, hour, at, onRead }: HourProps) {
  const loads = hour.cards.map(({ load }) => load[at ?? -1] ?? null).filter(value => value !== null)
  const load = loads.length ? loads.reduce((sum, value) => sum + value, 0) / loads.length : null
  const charts = hourCharts(hour)
  const step = (by: number) =>
    onRead(Math.min(lastMinutes - 1, Math.max(0, (at ?? lastMinutes - (by < 0 ? 0 : 1)) + by)))
  return (
    <div className="flex min-h-row items-center justify-between gap-4 rounded-panel bg-sunken px-3 py-1 tabular-nums forced-colors:border">
      <p aria-live="polite" className="flex min-w-0 flex-wrap gap-x-4 gap-y-1 text-label font-normal">
        {at === null ? (
          <span className="text-muted">
            Point at {hour.measures.cards && instance.hardware === 'real' ? 'a strip or ' : ''}a chart, or use
            the arrow keys, to read one minute on all of them.
          </span>
        ) : (
          <>
            <b className="font-semi">{minuteOf(hour, at)}</b>
            {load !== null && (
              <span>
                <span className="text-muted">GPU</span> {Math.round(load * 100)}%
              </span>
            )}
            {charts.map(({ key, title, lines, format }) => (
              <span key={key}>
                <span className="text-muted">{title}</span>{' '}
                {lines
                  .map(({ label, values }) => {
                    const value = values[at] ?? null
                    const text = value === null ? 'not measured' : format(value)
                    return lines.length > 1 ? `${text} ${label}` : text
                  })
                  .join(', ')}
              </span>
            ))}
          </>
        )}
      </p>
      <span className="flex shrink-0 max-sm:hidden">
        <IconButton label="One minute earlier" onClick={() => step(-1)}>
          <ArrowLeft size={16} aria-hidden />
        </IconButton>
        <IconButton label="One minute later" onClick={() => step(1)}>
          <ArrowRight size={16} aria-hidden />
        </IconButton>
      </span>
    </div>
  )
}

/** One chart for each thing that its driver measures. What it does not is said, once. */
export function HourCharts({ instance, hour, at, onRead }: HourProps) {
  const charts = hourCharts(hour)
  const ticks = [0, lastMinutes / 2, lastMinutes].map(minute => minuteOf(hour, minute))
  const lacking = unmeasuredText(
    { ...hour.measures, cards: hour.measures.cards || instance.hardware === 'simulated' },
    ['how fast the disk is read and written'],
  )
  return (
    <section aria-label="Use in the last hour" className="max-lg:order-5 flex min-w-0 flex-col gap-4">
      {hour.simulated && (
        <Band tone="info">Simulated figures: no machine stands behind them, and none counts as work.</Band>
      )}
      {!hasFigures(hour) ? (
        <p className="text-muted">
          {instance.status === 'running'
            ? 'Nothing was measured in the last hour yet: it is measured each half minute while it runs.'
            : 'Nothing was measured in the last hour: it is measured only while it runs.'}
        </p>
      ) : (
        <div className="grid gap-x-8 gap-y-6 rounded-panel border border-line bg-raised p-4 xl:grid-cols-2">
          {charts.map(({ key, ...chart }) => (
            <LineChart
              key={key}
              {...chart}
              label={chartWords({ key, ...chart }, 'last hour')}
              ticks={ticks}
              at={at}
              onRead={onRead}
            />
          ))}
        </div>
      )}
      <p className="text-label font-normal text-muted">{lacking}</p>
    </section>
  )
}

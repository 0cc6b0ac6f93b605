import type { KeyboardEvent } from 'react'
import { cx } from './cx.ts'

export interface StackedBar {
  readonly key: string
  /** Under it. */
  readonly label: string
  /** One value for each series, from the ground up. */
  readonly values: readonly number[]
  /** What is expected of it in all, drawn as an outline above what is there. */
  readonly expected?: number
}

interface StackedBarsProps {
  /** One sentence: the span, the highest, the mean, and now. */
  readonly label: string
  readonly bars: readonly StackedBar[]
  /** A line at this value. */
  readonly mean: number | null
  readonly chosen: string
  readonly onChoose: (key: string) => void
}

/** Patterns tell the series apart, so that colour need not: solid, hatched, lined, and grey for what is left. */
const fills = ['bg-chart-1', 'bar-hatched', 'bar-lined', 'bg-chart-6']
export const fillOf = (series: number): string => fills[Math.min(series, fills.length - 1)]!

/** Bars from zero, one value on the other. The pointer and the arrow keys choose one; the page says its figures. */
export function StackedBars({ label, bars, mean, chosen, onChoose }: StackedBarsProps) {
  const top = Math.max(...bars.map(bar => Math.max(sum(bar.values), bar.expected ?? 0)), mean ?? 0) || 1
  const height = (value: number) => `${(value / top) * 100}%`
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const at = bars.findIndex(({ key }) => key === chosen) + step
    onChoose(bars[Math.min(bars.length - 1, Math.max(0, at))]!.key)
  }
  return (
    // The figures must be readable without a pointer, so a picture takes the focus here and answers the arrows.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
      role="img"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onKeyDown={move}
      className="flex flex-col gap-1 rounded-tag"
    >
      <div className="relative flex h-chart border-b border-line-strong">
        {mean !== null && (
          <span
            style={{ bottom: height(mean) }}
            className="pointer-events-none absolute inset-x-0 border-t border-dotted border-muted"
          />
        )}
        {bars.map(bar => (
          <span
            key={bar.key}
            onMouseEnter={() => onChoose(bar.key)}
            className={cx(
              'relative flex min-w-0 flex-1 flex-col-reverse gap-px px-px sm:px-0.5',
              bar.key === chosen && 'bg-selected',
            )}
          >
            {bar.values.map((value, series) =>
              value > 0 ? (
                <span
                  // A series has its place in every bar.
                  // oxlint-disable-next-line react/no-array-index-key
                  key={series}
                  style={{ height: height(value) }}
                  className={cx('min-h-0.5 shrink-0 forced-color-adjust-none', fillOf(series))}
                />
              ) : null,
            )}
            {bar.expected !== undefined && bar.expected > sum(bar.values) && (
              <span
                style={{ height: height(bar.expected - sum(bar.values)) }}
                className="shrink border border-b-0 border-dashed border-muted"
              />
            )}
          </span>
        ))}
      </div>
      <div className="flex text-label font-normal text-muted tabular-nums">
        {bars.map((bar, index) => (
          <span
            key={bar.key}
            className={cx(
              'flex min-w-0 flex-1 justify-center whitespace-nowrap',
              bar.key === chosen && 'font-semi text-ink',
              index % 5 !== 0 && bar.key !== chosen && 'max-sm:invisible',
            )}
          >
            {bar.label}
          </span>
        ))}
      </div>
    </div>
  )
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

import type { KeyboardEvent } from 'react'
import { cx } from './cx.ts'

export interface StackedBar {
  readonly key: string
  /** Under it. */
  readonly label: string
  /** Under that. */
  readonly detail?: string
  /** Above it: its sum. */
  readonly total?: string
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
  /** None: the arrows begin at the last. */
  readonly chosen: string
  readonly onChoose: (key: string) => void
  /** Beside the last bar, where there is room: what its parts are, and what is expected of it. */
  readonly names?: readonly BarName[]
  /** A phone shows so many, the last ones. */
  readonly onPhone?: number
}

export interface BarName {
  /** Where on the scale it points. */
  readonly value: number
  readonly text: string
}

/** Patterns tell the series apart, so that colour need not: solid, hatched, lined, and grey for what is left. */
const fills = ['bg-chart-1', 'bar-hatched', 'bar-lined', 'bg-chart-6']
export const fillOf = (series: number): string => fills[Math.min(series, fills.length - 1)]!

/** Bars from zero, one value on the other. The pointer and the arrow keys choose one; the page says its figures. */
export function StackedBars({
  label,
  bars,
  mean,
  chosen,
  onChoose,
  names,
  onPhone = bars.length,
}: StackedBarsProps) {
  const most = Math.max(...bars.map(bar => Math.max(sum(bar.values), bar.expected ?? 0)), mean ?? 0) || 1
  // Room for the sums.
  const top = bars.some(({ total }) => total) ? most * 1.12 : most
  const height = (value: number) => `${(value / top) * 100}%`
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const last = bars.length - 1
    const found = bars.findIndex(({ key }) => key === chosen)
    onChoose(bars[Math.min(last, Math.max(0, (found < 0 ? last : found) + step))]!.key)
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
        {bars.map((bar, index) => (
          <span
            key={bar.key}
            onMouseEnter={() => onChoose(bar.key)}
            className={cx(
              'relative flex min-w-0 flex-1 flex-col-reverse gap-px px-px sm:px-0.5',
              bar.key === chosen && 'bg-selected',
              index < bars.length - onPhone && 'max-sm:hidden',
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
            {bar.total && (
              <span
                aria-hidden
                style={{ bottom: height(Math.max(sum(bar.values), 0)) }}
                className={cx(
                  // Thin parts are drawn thicker than they are.
                  'pointer-events-none absolute inset-x-0 mb-1 text-center text-label whitespace-nowrap tabular-nums',
                  bar.expected !== undefined && 'hidden',
                )}
              >
                {bar.total}
              </span>
            )}
          </span>
        ))}
        {names && <Names names={names} top={top} />}
      </div>
      <div className="flex text-label font-normal text-muted tabular-nums">
        {bars.map((bar, index) => (
          <span
            key={bar.key}
            className={cx(
              'flex min-w-0 flex-1 justify-center whitespace-nowrap',
              bar.key === chosen && 'font-semi text-ink',
              bar.detail === undefined && index % 5 !== 0 && bar.key !== chosen && 'max-sm:invisible',
              bar.detail !== undefined && 'flex-col items-center',
              index < bars.length - onPhone && 'max-sm:hidden',
            )}
          >
            {bar.label}
            {bar.detail !== undefined && <span>{bar.detail}</span>}
          </span>
        ))}
        {names && <span className="w-names shrink-0 max-sm:hidden" />}
      </div>
    </div>
  )
}

/** Percent of the height that a line of words takes. */
const lineHeight = 10

interface PlacedName extends BarName {
  /** Percent from the ground: of what it is of, and of the words. */
  readonly at: number
  readonly words: number
}

/** Words that would touch are moved up. */
function placed(names: readonly BarName[], top: number): PlacedName[] {
  const all: PlacedName[] = []
  for (const name of names.toSorted((a, b) => a.value - b.value)) {
    const at = (name.value / top) * 100
    all.push({ ...name, at, words: Math.max(at, (all.at(-1)?.words ?? -lineHeight / 2) + lineHeight) })
  }
  return all
}

/** A line leads from the words to what they are of. */
function Names({ names, top }: { readonly names: readonly BarName[]; readonly top: number }) {
  const words = placed(names, top)
  return (
    <span aria-hidden className="relative h-full w-names shrink-0 text-label whitespace-nowrap max-sm:hidden">
      <svg
        viewBox="0 0 10 100"
        preserveAspectRatio="none"
        className="absolute inset-y-0 left-0 h-full w-4 overflow-visible"
      >
        {words.map(({ text, at, words: to }) => (
          <path
            key={text}
            d={`M0 ${100 - at}L10 ${100 - to}`}
            vectorEffect="non-scaling-stroke"
            className="fill-none stroke-line-strong stroke-1"
          />
        ))}
      </svg>
      {words.map(({ text, words: to }) => (
        <span
          key={text}
          style={{ bottom: `${to}%` }}
          className="absolute left-5 translate-y-1/2 tabular-nums"
        >
          {text}
        </span>
      ))}
    </span>
  )
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

import type { KeyboardEvent, PointerEvent } from 'react'
import { cx } from './cx.ts'

export interface ChartLine {
  readonly label: string
  /** Oldest first; null where nothing was measured: a gap, never a bridge. */
  readonly values: readonly (number | null)[]
}

interface LineChartProps {
  readonly title: string
  /** What the figures are of: `of 48 GB`. */
  readonly aside?: string
  /** One sentence: the span, the least and the most, and the last. */
  readonly label: string
  readonly lines: readonly ChartLine[]
  /** Where the scale ends: the limit of what was rented, not the data's. */
  readonly top: number
  readonly format: (value: number) => string
  /** Under it, from the first to the last. */
  readonly ticks: readonly string[]
  /** The point that is read, on all charts of a page at once; null: the last. */
  readonly at: number | null
  readonly onRead: (at: number | null) => void
}

const height = 100
const strokes = ['stroke-chart-1', 'stroke-chart-6 [stroke-dasharray:4_3]']

/**
 * Up to two lines over one time. The pointer and the arrow keys read a point; its figures stand in words under the
 * title. SVG of its own, because it is two paths whose colours follow the theme and forced colours by themselves.
 */
export function LineChart({ title, aside, label, lines, top, format, ticks, at, onRead }: LineChartProps) {
  const count = lines[0]?.values.length ?? 0
  const last = count - 1
  const read = (to: number) => onRead(Math.min(last, Math.max(0, to)))
  const move = (event: KeyboardEvent) => {
    const to = { ArrowLeft: (at ?? last) - 1, ArrowRight: (at ?? last) + 1, Home: 0, End: last }[event.key]
    if (to === undefined) return
    event.preventDefault()
    read(to)
  }
  const point = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    read(Math.round(((event.clientX - left) / width) * last))
  }
  return (
    <figure className="flex min-w-0 flex-col gap-1">
      <figcaption className="flex items-baseline justify-between gap-2">
        <span className="font-semi">{title}</span>
        <span className="text-label font-normal text-muted">{aside}</span>
      </figcaption>
      <p aria-hidden className="flex min-h-4 flex-wrap gap-x-3 text-label tabular-nums">
        {lines.map(({ label: name, values }) => {
          const value = values[at ?? lastKnown(values)] ?? null
          return (
            <span key={name}>
              {lines.length > 1 && <span className="font-normal text-muted">{name} </span>}
              {value === null ? 'not measured' : format(value)}
            </span>
          )
        })}
      </p>
      {/* The figures must be readable without a pointer, so a picture takes the focus here and answers the arrows. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
        role="img"
        aria-label={label}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        onKeyDown={move}
        onPointerMove={point}
        onPointerLeave={() => onRead(null)}
        className="relative h-24 rounded-tag border-t border-b border-line border-b-line-strong"
      >
        <svg
          aria-hidden
          viewBox={`0 0 ${Math.max(1, last)} ${height}`}
          preserveAspectRatio="none"
          className="absolute inset-0 size-full overflow-visible forced-color-adjust-none"
        >
          {lines.map(({ label: name, values }, index) => (
            <g key={name}>
              {index === 0 && <path d={areaOf(values, top)} className="fill-accent-soft" />}
              <path
                d={pathOf(values, top)}
                vectorEffect="non-scaling-stroke"
                className={cx('fill-none stroke-2 [stroke-linecap:round]', strokes[index])}
              />
            </g>
          ))}
        </svg>
        <span className="pointer-events-none absolute top-0 left-0 bg-raised pr-1 text-label font-normal text-muted">
          {format(top)}
        </span>
        {at !== null && last > 0 && (
          <span
            style={{ left: `${(at / last) * 100}%` }}
            className="pointer-events-none absolute inset-y-0 border-l border-ink"
          />
        )}
      </div>
      <p aria-hidden className="flex justify-between text-label font-normal text-muted tabular-nums">
        {ticks.map(tick => (
          <span key={tick}>{tick}</span>
        ))}
      </p>
    </figure>
  )
}

const lastKnown = (values: readonly (number | null)[]): number =>
  values.findLastIndex(value => value !== null)

/** Runs of points without a gap, as `[first, values]`. */
function runsOf(values: readonly (number | null)[]): { readonly from: number; readonly values: number[] }[] {
  const runs: { from: number; values: number[] }[] = []
  for (const [at, value] of values.entries()) {
    if (value === null) continue
    const run = runs.at(-1)
    if (run && run.from + run.values.length === at) run.values.push(value)
    else runs.push({ from: at, values: [value] })
  }
  return runs
}

const yOf = (value: number, top: number): string =>
  (height - (Math.min(value, top) / (top || 1)) * height).toFixed(1)

/** A point alone is a dot. */
export const pathOf = (values: readonly (number | null)[], top: number): string =>
  runsOf(values)
    .map(run => {
      const points = run.values.map((value, n) => `${run.from + n} ${yOf(value, top)}`)
      return `M${points.join('L')}${points.length === 1 ? 'h.01' : ''}`
    })
    .join('')

const areaOf = (values: readonly (number | null)[], top: number): string =>
  runsOf(values)
    .map(run => {
      const points = run.values.map((value, n) => `L${run.from + n} ${yOf(value, top)}`).join('')
      return `M${run.from} ${height}${points}L${run.from + run.values.length - 1} ${height}Z`
    })
    .join('')

import { type KeyboardEvent, useState } from 'react'
import { cx } from './cx.ts'

interface HeatStripProps {
  /** What is measured and since when: `GPU load, last hour`. */
  readonly label: string
  /** Percent, oldest first; null where nothing was measured. */
  readonly values: readonly (number | null)[]
  /** Number of the last sample ever taken. When it grows, the newest cell comes in from the right. */
  readonly sample?: number
  /** As wide as its place: for many cells. */
  readonly wide?: boolean
  /** Of a wide one: how high it is. */
  readonly size?: 'day' | 'phone' | 'low'
  /** Whether it ran then: one that ran and has no value was not measured, and is told apart from one that was off. */
  readonly ran?: readonly boolean[]
  /** When a cell is of: `07:45 UTC`. */
  readonly nameOf?: (index: number) => string
}

const heights = { day: 'h-6', phone: 'h-5', low: 'h-3' }
export const heatFills = ['bg-heat-0', 'bg-heat-1', 'bg-heat-2', 'bg-heat-3', 'bg-heat-4', 'bg-heat-5']

/** 0 is a step of its own; the others are twenty percent each. */
export const heatStep = (percent: number): number => Math.min(5, Math.max(0, Math.ceil(percent / 20)))

/** Load as cells. The colour means load and nothing else; the figures are in the label, and under pointer and focus. */
export function HeatStrip({
  label,
  values,
  sample = values.length,
  wide = false,
  size = 'day',
  ran,
  nameOf,
}: HeatStripProps) {
  const [pointed, setPointed] = useState<number | null>(null)
  const [first] = useState(sample)
  const known = values.filter(value => value !== null)
  const last = values.at(-1) ?? null
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    setPointed(Math.min(values.length - 1, Math.max(0, (pointed ?? values.length - 1) + step)))
  }
  return (
    // The figures must be readable without a pointer, so a picture takes the focus here and answers the arrows.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <span
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
      role="img"
      aria-label={describe(label, known, last)}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onFocus={() => setPointed(values.length - 1)}
      onBlur={() => setPointed(null)}
      onMouseLeave={() => setPointed(null)}
      onKeyDown={move}
      className={cx('relative rounded-tag align-middle', wide ? 'flex w-full' : 'inline-flex')}
    >
      {values.map((value, index) => {
        const number = sample - values.length + index + 1
        return (
          // The gap belongs to the cell, so the pointer is never between two.
          <span
            key={number}
            onMouseEnter={() => setPointed(index)}
            className={wide ? 'min-w-0 flex-1 pr-px' : 'pr-0.5'}
          >
            <span
              className={cx(
                'block forced-colors:hidden',
                wide ? heights[size] : 'h-4 w-1',
                value === null ? gapOf(ran?.[index]) : heatFills[heatStep(value)],
                number === sample && sample !== first && 'animate-cell-in',
              )}
            />
          </span>
        )
      })}
      <span className="hidden text-label forced-colors:inline">{percent(last)}</span>
      {pointed !== null && (
        <span className="pointer-events-none absolute bottom-full left-0 z-sticky mb-1 rounded-tag bg-ink px-1 text-label whitespace-nowrap text-page tabular-nums">
          {nameOf && `${nameOf(pointed)}: `}
          {(values[pointed] ?? null) === null && ran?.[pointed] === false
            ? 'Off'
            : percent(values[pointed] ?? null)}
          {pointed === values.length - 1 ? ' now' : ''}
        </span>
      )}
    </span>
  )
}

/** Off is a base line alone; what ran without a figure is an outline; where neither is known, a faint line. */
const gapOf = (ran: boolean | undefined): string =>
  ran === undefined ? 'border-b border-line' : ran ? 'border border-line' : 'border-b border-line-strong'

const percent = (value: number | null): string => (value === null ? 'No data' : `${Math.round(value)}%`)

function describe(label: string, known: readonly number[], last: number | null): string {
  if (known.length === 0) return `${label}: no data`
  const range = `${Math.round(Math.min(...known))} to ${Math.round(Math.max(...known))} percent`
  return `${label}: ${range}, now ${last === null ? 'unknown' : Math.round(last)}`
}

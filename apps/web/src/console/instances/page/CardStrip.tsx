import type { KeyboardEvent } from 'react'
import { cx } from '../../../ui/cx.ts'
import { heatStep } from '../../../ui/HeatStrip.tsx'
import { type Cell, cellWords, lastMinutes, phoneMinutes } from './last-hour.ts'

interface CardStripProps {
  readonly label: string
  readonly cells: readonly Cell[]
  /** The minute that is read, on all strips and charts at once. */
  readonly at: number | null
  readonly onRead: (at: number | null) => void
}

const heat = ['bg-heat-0', 'bg-heat-1', 'bg-heat-2', 'bg-heat-3', 'bg-heat-4', 'bg-heat-5']
const last = lastMinutes - 1

/** Load of one card, a cell a minute; the reading line goes through it. Its figures stand in words beside and below. */
export function CardStrip({ label, cells, at, onRead }: CardStripProps) {
  const move = (event: KeyboardEvent) => {
    const to = { ArrowLeft: (at ?? last) - 1, ArrowRight: (at ?? last) + 1, Home: 0, End: last }[event.key]
    if (to === undefined) return
    event.preventDefault()
    onRead(Math.min(last, Math.max(0, to)))
  }
  return (
    // The figures must be readable without a pointer, so a picture takes the focus here and answers the arrows.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <span
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
      role="img"
      aria-label={cellWords(label, cells)}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onKeyDown={move}
      onMouseLeave={() => onRead(null)}
      className="flex w-full min-w-0 rounded-tag"
    >
      {cells.map((cell, minute) => (
        <span
          // A cell has its minute.
          // oxlint-disable-next-line react/no-array-index-key
          key={minute}
          onMouseEnter={() => onRead(minute)}
          className={cx(
            'relative min-w-0 flex-1',
            // A line that nothing interrupts.
            cell !== 'off' && 'pr-px',
            minute < lastMinutes - phoneMinutes && 'max-sm:hidden',
          )}
        >
          <span
            className={cx(
              'block h-6 max-sm:h-5 forced-colors:hidden',
              cell === 'off'
                ? 'border-b border-line-strong'
                : cell === 'unmeasured'
                  ? 'border border-line'
                  : heat[heatStep(cell)],
            )}
          />
          {minute === at && (
            <span className="pointer-events-none absolute -inset-y-2 left-1/2 border-l border-ink" />
          )}
        </span>
      ))}
    </span>
  )
}

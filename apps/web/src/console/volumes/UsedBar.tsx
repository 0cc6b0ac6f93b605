import type { Volume } from '@ingot/contracts/volumes'
import { cx } from '../../ui/cx.ts'
import { fullFrom, isNearlyFull, shareUsed } from './volume-text.ts'

const longest = 150
/** Shorter ones could not show how full they are. */
const shortest = 24

/** The length of a bar where the largest is the longest. */
export const barLength = (gb: number, largestGb: number): number =>
  Math.max(shortest, Math.round((longest * gb) / Math.max(gb, largestGb)))

interface UsedBarProps {
  readonly volume: Volume
  /** In pixels; without it as wide as there is room. */
  readonly width?: number
}

/** How much of it is used, beside the figures that say so. From 90 percent on with a notch there. */
export function UsedBar({ volume, width }: UsedBarProps) {
  const isFull = isNearlyFull(volume)
  return (
    <span
      aria-hidden
      style={{ width }}
      className={cx(
        'relative block h-3 shrink-0 overflow-hidden border border-line-strong forced-color-adjust-none',
        width === undefined && 'w-full',
        volume.status === 'creating' && 'border-dashed',
      )}
    >
      <span
        style={{ width: `${shareUsed(volume) * 100}%` }}
        className={cx('block h-full', isFull ? 'bg-warn' : 'bg-chart-1')}
      />
      {isFull && (
        <span style={{ left: `${fullFrom * 100}%` }} className="absolute inset-y-0 w-0_5 bg-raised" />
      )}
    </span>
  )
}

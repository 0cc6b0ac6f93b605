import type { InstanceLoad } from '@ingot/contracts/instance/watching'
import { HeatStrip } from '../../ui/HeatStrip.tsx'
import { together, type Tick } from './strips.ts'
import { clockText, dayMs } from './times.ts'

export interface StripAxis {
  readonly from: number
  readonly ticks: readonly Tick[]
  /** Percent from the left. */
  readonly midnight: number | null
}

interface DayStripProps {
  readonly label: string
  readonly load: Pick<InstanceLoad, 'cells' | 'ran' | 'simulated' | 'measured'> | undefined
  readonly axis: StripAxis
  /** Half as many cells, each the higher of two. */
  readonly isHalved?: boolean
  readonly isLow?: boolean
}

/** A day of load on the axis of its page; in its place a word where the GPU is made up or cannot be measured. */
export function DayStrip({ label, load, axis, isHalved = false, isLow = false }: DayStripProps) {
  const strip = load && (isHalved ? together(load, 2) : load)
  const size = isLow ? 'low' : isHalved ? 'phone' : 'day'
  return (
    <>
      {axis.midnight !== null && !isHalved && (
        // The cell's own padding is not part of the axis.
        <span aria-hidden className="pointer-events-none absolute inset-x-3 inset-y-0">
          <span style={{ left: `${axis.midnight}%` }} className="absolute inset-y-0 border-l border-line" />
        </span>
      )}
      {strip && load.simulated && <span className="relative bg-raised text-muted">Simulated</span>}
      {strip && !load.simulated && !load.measured && (
        <span className="relative bg-raised text-muted">Not measured</span>
      )}
      {strip && !load.simulated && load.measured && (
        <HeatStrip
          label={`${label}, last 24 hours`}
          values={strip.cells}
          ran={strip.ran}
          nameOf={at => `${clockText(axis.from + (at * dayMs) / strip.cells.length)} UTC`}
          wide
          size={size}
        />
      )}
    </>
  )
}

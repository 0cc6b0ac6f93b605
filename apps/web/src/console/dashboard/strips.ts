/** The strips of the last 24 hours: one axis for all of them, and the mean of the cards that ran. */
import type { InstanceLoad } from '@ingot/contracts/instance/watching'
import { clockText, dayMs, hourMs, weekdayText } from './times.ts'

export interface Tick {
  /** Where it stands, in percent of the axis. */
  readonly at: number
  readonly label: string
}

const tickMs = 6 * hourMs
/** Percent of the axis between two ticks that can be read, and what the last needs. */
const apart = 16

/** Full six hours (UTC), with the day where one begins; the last is the time now. */
export function axisOf(from: number, now: number): { ticks: Tick[]; midnight: number | null } {
  const place = (ms: number) => ((ms - from) / dayMs) * 100
  const first = Math.ceil(from / tickMs) * tickMs
  const ticks: Tick[] = []
  for (let ms = first; place(ms) < 100 - apart; ms += tickMs)
    ticks.push({
      at: place(ms),
      label: ms === first || ms % dayMs === 0 ? `${weekdayText(ms)} ${clockText(ms)}` : clockText(ms),
    })
  // The first may be cut short at the left edge.
  const kept = ticks.filter(({ at }) => at > apart / 4)
  const midnight = place(Math.ceil(from / dayMs) * dayMs)
  return {
    ticks: [...kept, { at: 100, label: clockText(now) }],
    midnight: midnight > 0 && midnight < 100 ? midnight : null,
  }
}

interface Loaded {
  readonly gpus: number
  readonly load: Pick<InstanceLoad, 'cells' | 'ran' | 'simulated' | 'measured'> | undefined
}

/** Each cell is the mean of the cards that were measured then; `ran` where any did. Null: no card is measured at all. */
export function meanOfCards(rows: readonly Loaded[]): { cells: (number | null)[]; ran: boolean[] } | null {
  const measured = rows.filter(({ load }) => load?.measured && !load.simulated)
  const length = measured[0]?.load?.cells.length
  if (length === undefined) return null
  const cells = Array.from({ length }, (_, at) => {
    let [sum, gpus] = [0, 0]
    for (const row of measured) {
      const load = row.load!.cells[at] ?? null
      if (load === null) continue
      sum += load * row.gpus
      gpus += row.gpus
    }
    return gpus === 0 ? null : Math.round(sum / gpus)
  })
  return {
    cells,
    ran: Array.from({ length }, (_, at) => measured.some(({ load }) => load!.ran[at])),
  }
}

/** The present cell, or the one before while nothing of the present one is written yet. */
export const loadNow = (cells: readonly (number | null)[]): number | null =>
  cells.at(-1) ?? cells.at(-2) ?? null

/** Of each so many cells the highest; it ran where any of them did. */
export function together(
  { cells, ran }: { readonly cells: readonly (number | null)[]; readonly ran: readonly boolean[] },
  count: number,
): { cells: (number | null)[]; ran: boolean[] } {
  const parts = Array.from({ length: Math.ceil(cells.length / count) }, (_, at) => at * count)
  return {
    cells: parts.map(from => {
      const known = cells.slice(from, from + count).filter(cell => cell !== null)
      return known.length ? Math.max(...known) : null
    }),
    ran: parts.map(from => ran.slice(from, from + count).some(Boolean)),
  }
}

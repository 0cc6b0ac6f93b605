/**
 * Which rows of a table are selected, by key. A row is flipped alone; with Shift everything from the last flipped row to
 * it is selected, and what a longer range had taken in is given back when the range becomes shorter. Keys of rows that
 * the table does not show stay selected.
 */
import { useRef } from 'react'

export type Keys = ReadonlySet<string>

/** The rows from one to another, in either direction. */
export function rangeOf(keys: readonly string[], from: string, to: string): readonly string[] {
  const [a, b] = [keys.indexOf(from), keys.indexOf(to)]
  if (a < 0 || b < 0) return b < 0 ? [] : [to]
  return keys.slice(Math.min(a, b), Math.max(a, b) + 1)
}

export const flipped = (selected: Keys, key: string): Keys =>
  selected.has(key) ? new Set([...selected].filter(each => each !== key)) : new Set([...selected, key])

/** None of the rows that are shown is left out: all of them go, otherwise all of them come. */
export const flippedAll = (selected: Keys, shown: readonly string[]): Keys =>
  shown.every(key => selected.has(key))
    ? new Set([...selected].filter(key => !shown.includes(key)))
    : new Set([...selected, ...shown])

export interface Selection {
  readonly isSelected: (key: string) => boolean
  readonly all: boolean | 'indeterminate'
  readonly flip: (key: string) => void
  /** Up to this row; from `from` where no row was flipped before. */
  readonly extend: (key: string, from?: string) => void
  readonly flipAll: () => void
}

export function useSelection(
  shown: readonly string[],
  selected: Keys,
  onSelected: ((selected: Keys) => void) | undefined,
): Selection | null {
  /** Where the range begins, and what was selected before it. */
  const start = useRef<{ readonly key: string; readonly before: Keys } | null>(null)
  if (!onSelected) return null
  const count = shown.filter(key => selected.has(key)).length
  const begin = (key: string, before: Keys) => {
    start.current = { key, before }
    return start.current
  }
  return {
    isSelected: key => selected.has(key),
    all: count === 0 ? false : count === shown.length ? true : 'indeterminate',
    flip(key) {
      const next = flipped(selected, key)
      begin(key, next)
      onSelected(next)
    },
    extend(key, from = key) {
      // Cleared since, or its first row is gone: a new one begins.
      const usable = selected.size > 0 && start.current !== null && shown.includes(start.current.key)
      const { key: first, before } = usable ? start.current! : begin(from, selected)
      onSelected(new Set([...before, ...rangeOf(shown, first, key)]))
    },
    flipAll() {
      start.current = null
      onSelected(flippedAll(selected, shown))
    },
  }
}

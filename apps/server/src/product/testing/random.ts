/** Chance that can be had again: the same seed, the same numbers (mulberry32). */
export interface Random {
  /** At least 0, below 1. */
  next(): number
  /** Whole, at least `from`, at most `to`. */
  between(from: number, to: number): number
  one<T>(of: readonly T[]): T
}

export function seeded(seed: number): Random {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  return { next, between, one: of => of[between(0, of.length - 1)]! }
}

/** `INGOT_SEED` gives a run of before again. */
export const seedOfRun = (): number =>
  Number(process.env['INGOT_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

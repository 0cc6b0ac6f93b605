/** When the end of a wallet's money is told, and which of its warnings stands. */
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000] as const
const thresholds = [day, hour, 10 * minute]
/** The longest. */
export const farthest = day

const smallest = (of: number[]) => (of.length ? Math.min(...of) : null)

/** When the runway that ends with `last` falls below each, as far as that is to come. */
export const crossings = (last: number, at: number): number[] =>
  thresholds.map(threshold => last + 1 - threshold).filter(crossing => crossing > at)

/** The smallest threshold that it is below. A little above the one that it was below counts as below it. */
export function under(last: number, at: number, was: number | null): number | null {
  if (last < at) return was
  const below = (isNear: (threshold: number) => boolean) =>
    smallest(thresholds.filter(each => last < at + each + (isNear(each) ? each / 60 : 0)))
  const now = below(each => each === was)
  return now !== null && (was === null || now < was) ? below(() => true) : now
}

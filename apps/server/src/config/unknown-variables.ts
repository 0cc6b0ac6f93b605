/**
 * Names in the environment that look like ours and are not. One that is close to a known name refuses the start: a
 * setting that was meant and does not act is worse than none. Any other is ignored, and named once in the log.
 */
import { ConfigError } from './config-error.ts'
import type { Environment } from './variable.ts'

/** Of the tools, the tests, the examples in the documentation, and what the machines find in theirs. */
export const othersVariables: readonly string[] = [
  'INGOT_ACCESS_TOKEN',
  'INGOT_API_KEY',
  'INGOT_CRASHES',
  'INGOT_EMAIL',
  'INGOT_INSTANCE_ID',
  'INGOT_LONG_TESTS',
  'INGOT_MACHINE',
  'INGOT_PASSWORD',
  'INGOT_PORT',
  'INGOT_SEED',
  'INGOT_URL',
  'INGOT_WRITE_TABLE',
]

/** Those that are ignored; throws for one that is close to a known name. */
export function findUnknown(env: Environment, known: readonly string[]): string[] {
  const unknown = Object.keys(env)
    .filter(name => /^INGOT_/i.test(name) && !known.includes(name) && !othersVariables.includes(name))
    .toSorted()
  for (const name of unknown) {
    const meant = closest(name, known)
    if (meant) throw new ConfigError(`${name} is not a setting. Did you mean ${meant}?`)
  }
  return unknown
}

/** One letter in so many may be wrong, at least one. */
const lettersPerMistake = 5

function closest(name: string, known: readonly string[]): string | null {
  const given = core(name)
  const [best] = known
    .map(each => ({ each, distance: distanceOf(given, core(each)) }))
    .toSorted((a, b) => a.distance - b.distance)
  return best && best.distance <= Math.max(1, Math.floor(given.length / lettersPerMistake)) ? best.each : null
}

/** Prefixes are what people leave out or add. */
const core = (name: string): string =>
  name
    .toUpperCase()
    .replace(/^INGOT_/, '')
    .replace(/^AUTH_/, '')

/** Letters to add, drop, change or swap with their neighbour to make one of the other. */
function distanceOf(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        rows[i - 1]![j]! + 1,
        row[j - 1]! + 1,
        rows[i - 1]![j - 1]! + (same ? 0 : 1),
        isSwap ? rows[i - 2]![j - 2]! + 1 : Infinity,
      )
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}

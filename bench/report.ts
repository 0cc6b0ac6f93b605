/** What a part of the benchmark measured: a figure, the floor beside it from the same run, and what it should be. */
export interface Result {
  readonly what: string
  readonly figure: string
  readonly floor: string
  /** The figure over the floor, or the figure itself where there is no floor. */
  readonly value: number
  readonly unit: 'ratio' | 'ms' | 'MB' | 'KB' | 'points' | 'MB/s' | 'an hour'
  readonly wanted: { readonly atLeast: number } | { readonly atMost: number } | null
  readonly note?: string
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]!
}

export const isMet = ({ value, wanted }: Result): boolean =>
  wanted === null || ('atLeast' in wanted ? value >= wanted.atLeast : value <= wanted.atMost)

const show = (value: number, unit: Result['unit']) =>
  `${value.toFixed(unit === 'ratio' ? 2 : unit === 'points' || unit === 'ms' || unit === 'an hour' ? 0 : 1)}${unit === 'ratio' || unit === 'points' ? '' : ` ${unit}`}`

export function print(results: readonly Result[]): void {
  const rows = results.map(result => [
    result.what,
    result.figure,
    result.floor,
    show(result.value, result.unit),
    result.wanted === null
      ? ''
      : 'atLeast' in result.wanted
        ? `≥ ${show(result.wanted.atLeast, result.unit)}`
        : `≤ ${show(result.wanted.atMost, result.unit)}`,
    result.wanted === null ? '' : isMet(result) ? 'met' : 'MISSED',
    result.note ?? '',
  ])
  const table = [['what', 'ours', 'floor', 'value', 'wanted', '', ''], ...rows]
  const widths = table[0]!.map((_, column) => Math.max(...table.map(row => row[column]!.length)))
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
}

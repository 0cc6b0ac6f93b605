interface SparklineProps {
  /** One sentence: the span, the least and the most, and the last. */
  readonly label: string
  /** Oldest first. */
  readonly values: readonly number[]
}

const height = 100

/** The way of one figure, without scale or axis: from its least to its most. A dot marks the last. */
export function Sparkline({ label, values }: SparklineProps) {
  const last = values.length - 1
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
    <span role="img" aria-label={label} className="relative mr-1 block h-6 py-1">
      <span className="relative block h-full">
        <svg
          aria-hidden
          viewBox={`0 0 ${Math.max(1, last)} ${height}`}
          preserveAspectRatio="none"
          className="absolute inset-0 size-full overflow-visible forced-color-adjust-none"
        >
          <path
            d={sparkPath(values)}
            vectorEffect="non-scaling-stroke"
            className="fill-none stroke-chart-1 stroke-2 [stroke-linejoin:round]"
          />
        </svg>
        {last >= 0 && (
          <span
            aria-hidden
            style={{ top: `${yOf(values, values[last]!)}%` }}
            className="absolute right-0 size-1 translate-x-1/2 -translate-y-1/2 rounded-full bg-chart-1 outline-1 outline-chart-1"
          />
        )}
      </span>
    </span>
  )
}

/** A figure that never changed runs along the foot. */
function yOf(values: readonly number[], value: number): number {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  return high === low ? height : Math.round((1 - (value - low) / (high - low)) * height)
}

export const sparkPath = (values: readonly number[]): string =>
  values.length < 2 ? '' : `M${values.map((value, at) => `${at} ${yOf(values, value)}`).join('L')}`

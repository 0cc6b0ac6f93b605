interface ProgressProps {
  readonly label: string
  readonly value: number
  readonly max: number
}

/** A share of a known whole, as a thin bar. The figures stand beside it: the bar alone tells nobody how much is left. */
export function Progress({ label, value, max }: ProgressProps) {
  return (
    <progress
      aria-label={label}
      value={value}
      max={max}
      className="block h-1 w-full appearance-none overflow-hidden rounded-full bg-line forced-colors:appearance-auto [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent [&::-webkit-progress-value]:transition-[width]"
    />
  )
}

interface StepBarProps {
  readonly step: number
  readonly of: number
}

/** `Step 1 of 2`, with the share that it is. */
export function StepBar({ step, of }: StepBarProps) {
  const percent = Math.round((step / of) * 100)
  return (
    <div>
      <p className="flex justify-between text-label text-muted tabular-nums">
        <span>
          Step {step} of {of}
        </span>
        <span>{percent}%</span>
      </p>
      <progress
        aria-label={`Step ${step} of ${of}`}
        value={percent}
        max={100}
        className="mt-1 block h-1 w-full appearance-none overflow-hidden forced-colors:appearance-auto rounded-full bg-line [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-line [&::-webkit-progress-value]:bg-accent [&::-webkit-progress-value]:transition-[width]"
      />
    </div>
  )
}

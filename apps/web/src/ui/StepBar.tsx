import { Progress } from './Progress.tsx'

interface StepBarProps {
  readonly step: number
  readonly of: number
}

/** `Step 1 of 2`, with the share that it is. */
export function StepBar({ step, of }: StepBarProps) {
  const percent = Math.round((step / of) * 100)
  return (
    <div className="flex flex-col gap-1">
      <p className="flex justify-between text-label text-muted tabular-nums">
        <span>
          Step {step} of {of}
        </span>
        <span>{percent}%</span>
      </p>
      <Progress label={`Step ${step} of ${of}`} value={percent} max={100} />
    </div>
  )
}

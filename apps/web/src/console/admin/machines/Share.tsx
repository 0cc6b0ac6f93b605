import { Progress } from '../../../ui/Progress.tsx'

interface ShareProps {
  /** Of what: `Processors of gpu-1`. */
  readonly label: string
  readonly taken: number
  readonly total: number
  readonly unit?: string
}

/** How much of something is taken, in figures and as a bar. */
export function Share({ label, taken, total, unit = '' }: ShareProps) {
  return (
    <span className="flex min-w-16 flex-col gap-1 tabular-nums">
      <span className="whitespace-nowrap">
        {taken} of {total}
        {unit}
      </span>
      <Progress label={label} value={Math.min(taken, total)} max={Math.max(1, total)} />
    </span>
  )
}

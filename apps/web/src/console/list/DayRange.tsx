import { DayInput } from './DayInput.tsx'
import type { ChangeSearch } from './search-state.ts'

interface DayRangeProps {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly onChange: ChangeSearch
}

/** The first and the last day that a list tells of. */
export function DayRange({ from, to, onChange }: DayRangeProps) {
  return (
    <div className="flex items-center gap-2 max-sm:w-full">
      <DayInput label="From day (UTC)" value={from} max={to} onChange={day => onChange({ from: day })} />
      <span aria-hidden className="text-muted">
        to
      </span>
      <DayInput label="To day (UTC)" value={to} min={from} onChange={day => onChange({ to: day })} />
    </div>
  )
}

import { Input } from '../../ui/Input.tsx'

interface DayInputProps {
  readonly label: string
  readonly value: string | undefined
  readonly min?: string | undefined
  readonly max?: string | undefined
  readonly onChange: (day: string) => void
}

/** A day of a list's filter. While somebody types, a day is none yet, and the field keeps what they typed. */
export function DayInput({ label, value, min, max, onChange }: DayInputProps) {
  return (
    <Input
      type="date"
      aria-label={label}
      title={label}
      key={value ?? ''}
      defaultValue={value}
      min={min}
      max={max}
      onChange={event =>
        (event.target.value || !event.target.validity.badInput) && onChange(event.target.value)
      }
      className="w-auto! min-w-0 text-muted max-sm:flex-1"
    />
  )
}

import { Select, type SelectOption } from '../../ui/Select.tsx'

const all = 'all'

interface FilterSelectProps<Value extends string> {
  /** What it filters by: `Status`. */
  readonly label: string
  /** The first option, which filters nothing: `Any`. */
  readonly any: string
  readonly options: readonly SelectOption<Value>[]
  readonly value: Value | undefined
  /** The first option is the empty text, which takes the name out of the address. */
  readonly onChange: (value: Value | '') => void
  /** The options tell by themselves what they are about: `All Instances`. */
  readonly bare?: boolean
}

/** One choice of a list's filter, or none. */
export function FilterSelect<Value extends string>({
  label,
  any,
  options,
  value,
  onChange,
  bare = false,
}: FilterSelectProps<Value>) {
  return (
    <Select<Value | typeof all>
      aria-label={label}
      prefix={bare ? undefined : label}
      options={[{ value: all, label: any }, ...options]}
      value={value ?? all}
      onValueChange={chosen => onChange(chosen === all ? '' : chosen)}
      className={bare ? 'w-auto! max-w-full font-medium' : undefined}
    />
  )
}

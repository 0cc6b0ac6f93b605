import { billingLineKinds, billingStatuses } from '@ingot/contracts/billing'
import { Input } from '../../ui/Input.tsx'
import { FilterSelect } from '../list/FilterSelect.tsx'
import { InstancePicker } from '../list/InstancePicker.tsx'
import { SearchBox } from '../list/SearchBox.tsx'
import type { ChangeSearch } from '../list/search-state.ts'
import { type BillingFilter, kindWords, statusWords } from './billing-search.ts'

const statusOptions = billingStatuses.map(value => ({ value, label: statusWords[value] }))
const kindOptions = billingLineKinds.map(value => ({ value, label: kindWords[value] }))

interface BillingFiltersProps {
  readonly filter: BillingFilter
  readonly onChange: ChangeSearch
}

export function BillingFilters({ filter, onChange }: BillingFiltersProps) {
  return (
    <>
      <SearchBox
        label="Search transactions"
        value={filter.search}
        onChange={search => onChange({ search })}
      />
      <FilterSelect
        label="Status"
        any="Any"
        options={statusOptions}
        value={filter.status}
        onChange={status => onChange({ status })}
      />
      <FilterSelect
        label="Kind"
        any="Any"
        options={kindOptions}
        value={filter.kind}
        onChange={kind => onChange({ kind })}
      />
      <InstancePicker value={filter.instance} onChange={instance => onChange({ instance })} />
      <div className="flex items-center gap-2 max-sm:w-full">
        <Day
          label="From day (UTC)"
          value={filter.from}
          max={filter.to}
          onChange={from => onChange({ from })}
        />
        <span aria-hidden className="text-muted">
          to
        </span>
        <Day label="To day (UTC)" value={filter.to} min={filter.from} onChange={to => onChange({ to })} />
      </div>
    </>
  )
}

interface DayProps {
  readonly label: string
  readonly value: string | undefined
  readonly min?: string | undefined
  readonly max?: string | undefined
  readonly onChange: (day: string) => void
}

/** While somebody types, a day is none yet, and the field keeps what they typed. */
function Day({ label, value, min, max, onChange }: DayProps) {
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

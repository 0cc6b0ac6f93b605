import { billedKinds, billingLineKinds, billingStatuses } from '@ingot/contracts/billing'
import { FilterSelect } from '../list/FilterSelect.tsx'
import { LoggedPicker } from '../list/LoggedPicker.tsx'
import { SearchBox } from '../list/SearchBox.tsx'
import type { ChangeSearch } from '../list/search-state.ts'
import { aboutWords, type BillingFilter, kindWords, statusWords } from './billing-search.ts'
import { DayRange } from '../list/DayRange.tsx'

const statusOptions = billingStatuses.map(value => ({ value, label: statusWords[value] }))
const kindOptions = billingLineKinds.map(value => ({ value, label: kindWords[value] }))
const aboutOptions = billedKinds.map(value => ({ value, label: aboutWords[value] }))

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
      <FilterSelect
        label="About"
        any="Anything"
        options={aboutOptions}
        value={filter.about}
        onChange={about => onChange({ about })}
      />
      <LoggedPicker noun="instances" value={filter.instance} onChange={instance => onChange({ instance })} />
      <DayRange from={filter.from} to={filter.to} onChange={onChange} />
    </>
  )
}

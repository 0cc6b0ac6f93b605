import { billingStatuses } from '@ingot/contracts/billing'
import { FilterSelect } from '../list/FilterSelect.tsx'
import { SearchBox } from '../list/SearchBox.tsx'
import type { ChangeSearch } from '../list/search-state.ts'
import { type BillingFilter, statusWords } from './billing-search.ts'

const statusOptions = billingStatuses.map(value => ({ value, label: statusWords[value] }))

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
    </>
  )
}

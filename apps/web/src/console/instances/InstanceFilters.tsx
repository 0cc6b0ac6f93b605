import { listedStatuses } from '@ingot/contracts/instances'
import { FilterSelect } from '../list/FilterSelect.tsx'
import { SearchBox } from '../list/SearchBox.tsx'
import type { ChangeSearch } from '../list/search-state.ts'
import type { InstancesSearch } from './instances-search.ts'

const statusOptions = listedStatuses.map(value => ({ value, label: value }))

interface InstanceFiltersProps {
  readonly filter: InstancesSearch
  readonly onChange: ChangeSearch
}

/** Held by the address and done by the server. A new filter begins on the first page. */
export function InstanceFilters({ filter, onChange }: InstanceFiltersProps) {
  return (
    <>
      <SearchBox
        label="Search by name or GPU type"
        value={filter.search}
        onChange={search => onChange({ search, cursor: undefined })}
        className="sm:max-w-toast"
        clearable
      />
      <FilterSelect
        label="Status"
        any="all"
        options={statusOptions}
        value={filter.status}
        onChange={status => onChange({ status, cursor: undefined })}
      />
    </>
  )
}

import { usageActions } from '@ingot/contracts/activity'
import { FilterSelect } from '../list/FilterSelect.tsx'
import { LoggedPicker } from '../list/LoggedPicker.tsx'
import { SearchBox } from '../list/SearchBox.tsx'
import type { ChangeSearch } from '../list/search-state.ts'
import { actionLabel, kindFilters, type LogFilter } from './log-words.ts'

interface LogFiltersProps {
  readonly filter: LogFilter
  readonly onChange: ChangeSearch
}

/** The kinds, then every action there is. */
const actionOptions = [
  ...Object.entries(kindFilters).map(([value, label]) => ({ value, label })),
  ...usageActions.toSorted().map(value => ({ value, label: actionLabel(value) })),
]

export function LogFilters({ filter, onChange }: LogFiltersProps) {
  return (
    <>
      <SearchBox label="Search events" value={filter.search} onChange={search => onChange({ search })} />
      <FilterSelect
        label="Action"
        any="All"
        options={actionOptions}
        value={filter.kind ?? filter.action}
        onChange={action => onChange({ action })}
      />
      <LoggedPicker noun="instances" value={filter.instance} onChange={instance => onChange({ instance })} />
      <LoggedPicker noun="volumes" value={filter.volume} onChange={volume => onChange({ volume })} />
    </>
  )
}

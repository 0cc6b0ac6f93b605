import type { UsageLog } from '@ingot/contracts/activity'
import { useQuery } from '@tanstack/react-query'
import { FilterSelect } from '../list/FilterSelect.tsx'
import { SearchBox } from '../list/SearchBox.tsx'
import type { ChangeSearch } from '../list/search-state.ts'
import { newestInstancesQuery } from '../instances/queries.ts'
import { actionLabel, kindFilters, type LogFilter } from './log-words.ts'

interface LogFiltersProps {
  readonly filter: LogFilter
  readonly onChange: ChangeSearch
  readonly loaded: readonly UsageLog[]
}

export function LogFilters({ filter, onChange, loaded }: LogFiltersProps) {
  const instances = useInstanceOptions(filter.instance, loaded)
  return (
    <>
      <SearchBox label="Search events" value={filter.search} onChange={search => onChange({ search })} />
      <FilterSelect
        label="Action"
        any="All"
        options={actionOptions(filter.action, loaded)}
        value={filter.action}
        onChange={action => onChange({ action })}
      />
      <FilterSelect
        label="Instance"
        any="All Instances"
        bare
        options={instances}
        value={filter.instance}
        onChange={instance => onChange({ instance })}
      />
    </>
  )
}

/** The kinds, the actions that are loaded, and the one of the address even when no such event is. */
function actionOptions(chosen: string | undefined, loaded: readonly UsageLog[]) {
  const seen = [...new Set<string>(loaded.map(log => log.action))].toSorted()
  const options = [
    ...Object.entries(kindFilters).map(([value, label]) => ({ value, label })),
    ...seen.map(value => ({ value, label: actionLabel(value) })),
  ]
  if (!chosen || options.some(option => option.value === chosen)) return options
  return [...options, { value: chosen, label: actionLabel(chosen) }]
}

/** The user's instances, and the one of the address even when it is deleted. */
function useInstanceOptions(chosen: string | undefined, loaded: readonly UsageLog[]) {
  const { data } = useQuery(newestInstancesQuery)
  const options = (data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))
  if (!chosen || options.some(option => option.value === chosen)) return options
  const name = loaded.find(log => log.instance_id === chosen)?.instance_name
  return [...options, { value: chosen, label: name ?? chosen.slice(0, 8) }]
}

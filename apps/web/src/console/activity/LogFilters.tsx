import type { UsageLog } from '@ingot/contracts/activity'
import { useQuery } from '@tanstack/react-query'
import { Select } from '../../ui/Select.tsx'
import { newestInstancesQuery } from '../shell/api.ts'
import { SearchBox } from '../list/SearchBox.tsx'
import type { ChangeSearch } from '../list/search-state.ts'
import { actionLabel, kindFilters, type LogFilter } from './log-words.ts'

const all = 'all'

interface LogFiltersProps {
  readonly filter: LogFilter
  readonly onChange: ChangeSearch
  readonly loaded: readonly UsageLog[]
  readonly count: string | undefined
}

export function LogFilters({ filter, onChange, loaded, count }: LogFiltersProps) {
  const seen = [...new Set(loaded.map(log => log.action))].toSorted()
  const actions = [
    { value: all, label: 'All' },
    ...Object.entries(kindFilters).map(([value, label]) => ({ value, label })),
    ...seen.map(value => ({ value: value as string, label: actionLabel(value) })),
  ]
  const instances = useInstanceOptions(filter.instance, loaded)
  const isKnown = actions.some(option => option.value === filter.action)
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchBox label="Search events" value={filter.search} onChange={search => onChange({ search })} />
      <Select
        aria-label="Action"
        prefix="Action"
        options={
          isKnown ? actions : [...actions, { value: filter.action, label: actionLabel(filter.action) }]
        }
        value={filter.action}
        onValueChange={action => onChange({ action: action === all ? '' : action })}
      />
      <Select
        aria-label="Instance"
        options={instances}
        value={filter.instance ?? all}
        onValueChange={instance => onChange({ instance: instance === all ? '' : instance })}
        className="w-auto! max-w-full font-medium"
      />
      <p aria-live="polite" className="ml-auto text-label text-muted tabular-nums">
        {count}
      </p>
    </div>
  )
}

/** The user's instances, and the one of the address even when it is deleted. */
function useInstanceOptions(chosen: string | undefined, loaded: readonly UsageLog[]) {
  const { data } = useQuery(newestInstancesQuery)
  const options = [
    { value: all, label: 'All Instances' },
    ...(data?.items ?? []).map(({ id, name }) => ({ value: id, label: name })),
  ]
  if (!chosen || options.some(option => option.value === chosen)) return options
  const name = loaded.find(log => log.instance_id === chosen)?.instance_name
  return [...options, { value: chosen, label: name ?? chosen.slice(0, 8) }]
}

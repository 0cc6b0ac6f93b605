import { useState } from 'react'
import { Input } from '../../../ui/Input.tsx'
import { DayInput } from '../../list/DayInput.tsx'
import { FilterSelect } from '../../list/FilterSelect.tsx'
import { SearchBox } from '../../list/SearchBox.tsx'
import type { ChangeSearch } from '../../list/search-state.ts'
import { type AuditSearch, kindOptions, operationOptions } from './audit-search.ts'

interface AuditFiltersProps {
  readonly filter: AuditSearch
  readonly onChange: ChangeSearch
}

export function AuditFilters({ filter, onChange }: AuditFiltersProps) {
  return (
    <>
      <SearchBox
        label="Search reasons"
        value={filter.search}
        onChange={search => onChange({ search })}
        className="sm:max-w-menu"
      />
      <PersonInput
        label="Customer: address or id"
        value={filter.customer ?? ''}
        onChange={customer => onChange({ customer })}
      />
      <PersonInput
        label="Done by: address or id"
        value={filter.actor ?? ''}
        onChange={actor => onChange({ actor })}
      />
      <FilterSelect
        label="Did"
        any="Anything"
        options={operationOptions(filter.operation)}
        value={filter.operation}
        onChange={operation => onChange({ operation })}
      />
      <FilterSelect
        label="To"
        any="Anything"
        options={kindOptions}
        value={filter.kind}
        onChange={kind => onChange({ kind })}
      />
      <div className="flex items-center gap-2 max-sm:w-full">
        <DayInput
          label="From day (UTC)"
          value={filter.from}
          max={filter.to}
          onChange={from => onChange({ from })}
        />
        <span aria-hidden className="text-muted">
          to
        </span>
        <DayInput
          label="To day (UTC)"
          value={filter.to}
          min={filter.from}
          onChange={to => onChange({ to })}
        />
      </div>
    </>
  )
}

interface PersonInputProps {
  readonly label: string
  readonly value: string
  readonly onChange: (text: string) => void
}

/** Half an address is nobody's: the list follows when the field is left, or on Enter. */
function PersonInput({ label, value, onChange }: PersonInputProps) {
  const [text, setText] = useState(value)
  const [home, setHome] = useState(value)
  if (home !== value) {
    setHome(value)
    setText(value)
  }
  const commit = () => {
    if (text.trim() !== value) onChange(text.trim())
  }
  return (
    <span className="w-full sm:max-w-menu">
      <Input
        type="search"
        aria-label={label}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        maxLength={255}
        value={text}
        onChange={event => setText(event.target.value)}
        onBlur={commit}
        onKeyDown={event => event.key === 'Enter' && commit()}
      />
    </span>
  )
}

import { billingStatuses } from '@ingot/contracts/billing'
import { Button } from '../../ui/Button.tsx'
import { Select } from '../../ui/Select.tsx'
import { SearchBox } from '../list/SearchBox.tsx'
import type { ChangeSearch } from '../list/search-state.ts'
import { type BillingFilter, statusWords } from './billing-search.ts'

const any = 'any'
const statusOptions = [
  { value: any, label: 'Any' },
  ...billingStatuses.map(value => ({ value, label: statusWords[value] })),
]

interface BillingFiltersProps {
  readonly filter: BillingFilter
  readonly onChange: ChangeSearch
  /** How many lines are shown. */
  readonly count: string | undefined
  /** Null while there is nothing to export. */
  readonly onExport: (() => void) | null
}

export function BillingFilters({ filter, onChange, count, onExport }: BillingFiltersProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchBox
        label="Search transactions"
        value={filter.search}
        onChange={search => onChange({ search })}
      />
      <Select
        aria-label="Status"
        prefix="Status"
        options={statusOptions}
        value={filter.status ?? any}
        onValueChange={status => onChange({ status: status === any ? '' : status })}
      />
      <div className="ml-auto flex items-center gap-4">
        <p aria-live="polite" className="text-label text-muted tabular-nums">
          {count}
        </p>
        <Button onClick={() => onExport?.()} disabledReason={onExport ? null : 'There is nothing to export'}>
          Export CSV
        </Button>
      </div>
    </div>
  )
}

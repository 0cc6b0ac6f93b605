import { listedStatuses } from '@ingot/contracts/instances'
import { X } from 'lucide-react'
import { useRef } from 'react'
import { IconButton } from '../../ui/IconButton.tsx'
import { Input } from '../../ui/Input.tsx'
import { Kbd } from '../../ui/Kbd.tsx'
import { Select } from '../../ui/Select.tsx'
import { useShortcut } from '../../ui/shortcuts.ts'
import type { InstancesSearch } from './instances-search.ts'
import type { ChangeSearch } from '../list/search-state.ts'
import { useTypedText } from '../list/use-typed-text.ts'

const statusOptions = [
  { value: 'all', label: 'all' },
  ...listedStatuses.map(value => ({ value, label: value })),
]

interface InstanceFiltersProps {
  readonly filter: InstancesSearch
  readonly onChange: ChangeSearch
  /** At the right: how many there are, and how fresh that is. */
  readonly children: React.ReactNode
}

/** Held by the address and done by the server. A new filter begins on the first page. */
export function InstanceFilters({ filter, onChange, children }: InstanceFiltersProps) {
  const input = useRef<HTMLInputElement>(null)
  const { text, onType, flush } = useTypedText(filter.search, search =>
    onChange({ search, cursor: undefined }),
  )
  useShortcut('/', () => input.current?.focus())
  const clear = () => {
    onType('')
    input.current?.focus()
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <search className="w-full sm:max-w-toast">
        <Input
          ref={input}
          type="search"
          aria-label="Search by name or GPU type"
          placeholder="Search by name or GPU type"
          maxLength={100}
          value={text}
          onChange={event => onType(event.target.value)}
          onBlur={flush}
          onKeyDown={event => event.key === 'Enter' && flush()}
          className="[&::-webkit-search-cancel-button]:hidden"
          end={
            text ? (
              <IconButton label="Clear the search" tooltip={false} onClick={clear} className="-mr-1 size-6!">
                <X size={16} aria-hidden />
              </IconButton>
            ) : (
              <Kbd>/</Kbd>
            )
          }
        />
      </search>
      <Select
        aria-label="Status"
        prefix="Status"
        options={statusOptions}
        value={filter.status ?? 'all'}
        onValueChange={status =>
          onChange({ status: status === 'all' ? undefined : status, cursor: undefined })
        }
      />
      <p className="ml-auto text-label text-muted tabular-nums">{children}</p>
    </div>
  )
}

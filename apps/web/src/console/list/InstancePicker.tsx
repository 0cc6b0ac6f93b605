import { maxSearchText } from '@ingot/contracts/operation'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Picker, type PickerItem } from '../../ui/Picker.tsx'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { useSettled } from './use-settled.ts'

/** The newest that match, deleted ones too. */
const loggedInstancesQuery = (search: string, limit = 50) =>
  queryOptions({
    queryKey: ['activity', 'instances', search, limit],
    queryFn: ({ signal }) => api.activity.instances({ limit, ...(search ? { search } : {}) }, { signal }),
    placeholderData: keepPreviousData,
  })

const any: PickerItem = { id: '', label: 'All Instances' }

interface InstancePickerProps {
  /** An instance's id, or nothing. */
  readonly value: string | undefined
  readonly onChange: (id: string) => void
}

/** Every instance that has a history, also a deleted one; the service finds what is typed. */
export function InstancePicker({ value, onChange }: InstancePickerProps) {
  const [typed, setTyped] = useState('')
  const search = useSettled(typed.trim())
  const found = useQuery(loggedInstancesQuery(search))
  const chosen = useQuery({ ...loggedInstancesQuery(value ?? '', 1), enabled: value !== undefined })
  const name = chosen.data?.items.find(({ id }) => id === value)?.name
  const items = (found.data?.items ?? []).map(({ id, name, is_deleted }) => ({
    id,
    label: name,
    ...(is_deleted ? { hint: 'Deleted' } : {}),
  }))
  return (
    <Picker
      label="Instance"
      text={value === undefined ? any.label : (name ?? value.slice(0, 8))}
      value={value ?? ''}
      items={search ? items : [any, ...items]}
      searchLabel="Name or id"
      maxLength={maxSearchText}
      onSearch={setTyped}
      onPick={onChange}
      note={
        found.error
          ? errorText(found.error)
          : found.data?.items.length === 0
            ? search && 'No instance matches.'
            : found.data?.next_cursor && 'Older ones are found by what is typed.'
      }
    />
  )
}

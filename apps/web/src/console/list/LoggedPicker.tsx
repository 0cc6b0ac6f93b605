import { maxSearchText } from '@ingot/contracts/operation'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Picker, type PickerItem } from '../../ui/Picker.tsx'
import { api } from '../shell/api.ts'
import { errorText } from '../shell/error-text.ts'
import { useSettled } from './use-settled.ts'

/** What has a history: the newest that match, deleted ones too. */
const loggedQuery = (noun: 'instances' | 'volumes', search: string, limit = 50) =>
  queryOptions({
    queryKey: ['activity', noun, search, limit],
    queryFn: ({ signal }) => api.activity[noun]({ limit, ...(search ? { search } : {}) }, { signal }),
    placeholderData: keepPreviousData,
  })

const words = {
  instances: { label: 'Instance', any: 'All Instances', none: 'No instance matches.' },
  volumes: { label: 'Volume', any: 'All Volumes', none: 'No volume matches.' },
} as const

interface LoggedPickerProps {
  readonly noun: keyof typeof words
  /** Its id, or nothing. */
  readonly value: string | undefined
  readonly onChange: (id: string) => void
}

/** Every instance or volume that has a history, also a deleted one; the service finds what is typed. */
export function LoggedPicker({ noun, value, onChange }: LoggedPickerProps) {
  const { label, any, none } = words[noun]
  const [typed, setTyped] = useState('')
  const search = useSettled(typed.trim())
  const found = useQuery(loggedQuery(noun, search))
  const chosen = useQuery({ ...loggedQuery(noun, value ?? '', 1), enabled: value !== undefined })
  const name = chosen.data?.items.find(({ id }) => id === value)?.name
  const items: PickerItem[] = (found.data?.items ?? []).map(({ id, name, is_deleted }) => ({
    id,
    label: name,
    ...(is_deleted ? { hint: 'Deleted' } : {}),
  }))
  return (
    <Picker
      label={label}
      text={value === undefined ? any : (name ?? value.slice(0, 8))}
      value={value ?? ''}
      items={search ? items : [{ id: '', label: any }, ...items]}
      searchLabel="Name or id"
      maxLength={maxSearchText}
      onSearch={setTyped}
      onPick={onChange}
      note={
        found.error
          ? errorText(found.error)
          : found.data?.items.length === 0
            ? search && none
            : found.data?.next_cursor && 'Older ones are found by what is typed.'
      }
    />
  )
}
